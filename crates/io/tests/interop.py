"""Reads frame.vtkhdf, frame.vtp and frame.xyz of a folder with other people's readers and compares with frame.csv."""

import csv
import json
import sys
from pathlib import Path

import h5py
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = Path(sys.argv[1])
with open(folder / "frame.csv", newline="") as file:
    rows = list(csv.DictReader(file))
n = len(rows)


def column(*names):
    values = np.array([[float(row[name]) for name in names] for row in rows]).reshape(n, len(names))
    return values if len(names) > 1 else values[:, 0]


expected = {
    "position": column("x_m", "y_m", "z_m"),
    "velocity": column("vx_m_s", "vy_m_s", "vz_m_s"),
    "spin": column("wx_rad_s", "wy_rad_s", "wz_rad_s"),
    "radius": column("radius_m"),
    "mass": column("mass_kg"),
    "id": column("id"),
    "contacts": column("contacts"),
    "orientation": column("qw", "qx", "qy", "qz"),
    "shape": column("shape"),
}
rocks = np.flatnonzero(expected["shape"])
spheres = np.flatnonzero(expected["shape"] == 0)


def same(found, name, where):
    found = np.asarray(found)
    assert found.shape == expected[name].shape, f"{where}: {name} has shape {found.shape}"
    assert (found == expected[name]).all(), f"{where}: {name} differs"


def compare_vtk(reader, where, time_name):
    failed = []
    reader.AddObserver("ErrorEvent", lambda *_: failed.append(where))
    reader.SetFileName(str(folder / where))
    reader.Update()
    assert not failed, f"{where}: VTK reports an error"
    data = reader.GetOutputDataObject(0)
    assert data.IsA("vtkPolyData"), f"{where}: VTK makes a {data.GetClassName()} of it"
    with_polygons = len(rocks) > 0 and where.endswith(".vtp")
    if not with_polygons:
        assert data.GetNumberOfPoints() == n and data.GetNumberOfVerts() == n, where
    assert data.GetFieldData().GetArray(time_name).GetValue(0) == 1.234, where
    if n == 0:
        return
    if with_polygons:
        return compare_polygons(data, where)
    same(vtk_to_numpy(data.GetPoints().GetData()), "position", where)
    for name in expected:
        if name != "position":
            same(vtk_to_numpy(data.GetPointData().GetArray(name)), name, where)


def compare_polygons(data, where):
    """Spheres are vertices; every rock is a closed block of 8 points and 6 polygons at its place."""
    assert data.GetNumberOfVerts() == len(spheres) and data.GetNumberOfPolys() == 6 * len(rocks), where
    assert data.GetNumberOfPoints() == len(spheres) + 8 * len(rocks), where
    owner = np.concatenate([spheres, np.repeat(rocks, 8)])
    for name in expected:
        if name != "position":
            found = vtk_to_numpy(data.GetPointData().GetArray(name))
            assert (found == expected[name][owner]).all(), f"{where}: {name} differs"
    points = vtk_to_numpy(data.GetPoints().GetData())
    centres = points[len(spheres):].reshape(-1, 8, 3).mean(axis=1)
    assert np.allclose(centres, expected["position"][rocks], atol=1e-12), where
    mass = vtk.vtkMassProperties()
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputData(data)
    triangles.PassVertsOff()
    mass.SetInputConnection(triangles.GetOutputPort())
    mass.Update()
    volume = 0.02 * 0.03 * 0.04 * len(rocks)
    assert abs(mass.GetVolume() / volume - 1) < 1e-6, f"{where}: {mass.GetVolume()} m3, not {volume}"


compare_vtk(vtk.vtkHDFReader(), "frame.vtkhdf", "time")
compare_vtk(vtk.vtkXMLPolyDataReader(), "frame.vtp", "TimeValue")

with h5py.File(folder / "frame.vtkhdf") as file:
    group = file["VTKHDF"]
    assert group.attrs["Type"] == b"PolyData" and list(group.attrs["Version"]) == [2, 0]
    same(group["Points"][:], "position", "h5py")
    for name in expected:
        if name != "position":
            same(group["PointData"][name][:], name, "h5py")
    about = json.loads(file["Rubblepile/about"][()])
    assert about["step"] == 1234 and about["materials"] == ["Si"], about
    assert about["periodic"]["max"] == [1, 2, 3], about

with h5py.File(folder / "shapes.h5") as file:
    shapes = file["Rubblepile/shapes"]
    assert len(shapes["first_part"]) == len(rocks) + 2 and len(shapes["vertices"]) == 8 * len(rocks)
    assert len(shapes["corners"]) == 24 * len(rocks) and shapes["volume"][0] == 0

if n > 0:
    import ase.io

    atoms = ase.io.read(folder / "frame.xyz", format="extxyz")
    same(atoms.get_positions(), "position", "ase")
    same(atoms.arrays["velo"], "velocity", "ase")
    same(atoms.arrays["radius"], "radius", "ase")
    assert list(atoms.pbc) == [True, True, False] and atoms.cell[1][1] == 2, atoms.cell
    assert atoms.info["Time"] == 1.234

print(f"{n} bodies agree")
