"""A frame of deformable grains as VTK and h5py see it, against our own CSV and VTP."""

import csv
import sys
from pathlib import Path

import h5py
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = Path(sys.argv[1])
rows = list(csv.DictReader(open(folder / "frame.csv")))
column = lambda *names: np.array([[float(r[n]) for n in names] for r in rows])


def read(reader, name):
    reader.SetFileName(str(folder / name))
    reader.Update()
    return reader.GetOutput()


for data in (read(vtk.vtkHDFReader(), "frame.vtkhdf"), read(vtk.vtkXMLPolyDataReader(), "frame.vtp")):
    assert data.GetNumberOfPoints() == len(rows) and data.GetNumberOfPolys() == data.GetNumberOfCells() > 0
    points = vtk_to_numpy(data.GetPoints().GetData())
    assert np.array_equal(points[:, :2], column("x_m", "y_m")) and not points[:, 2].any()
    values = data.GetPointData()
    array = lambda name: vtk_to_numpy(values.GetArray(name))
    assert np.array_equal(array("stress"), column("stress_xx_Pa", "stress_yy_Pa", "stress_xy_Pa"))
    assert np.array_equal(array("pressure"), column("pressure_Pa")[:, 0])
    assert np.array_equal(array("contact_force")[:, 1], column("contact_force_y_N_per_m")[:, 0])
    assert np.array_equal(array("grain"), column("grain")[:, 0])
with h5py.File(folder / "frame.vtkhdf") as file:
    field = file["VTKHDF/FieldData"]
    assert field["grain_stress"].shape == (len(field["grain_id"]), 3) and field["time"].shape == (1,)
print(f"{len(rows)} nodes agree")
