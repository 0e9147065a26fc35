"""Draws frames of a run side by side, coloured by the number of contacts: the picture of the README. Asteroids are drawn too.

    python docs/render.py runs/collapse docs/collapse.png 0 20 30 120      (needs h5py, numpy, matplotlib)
"""
import functools
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import EllipseCollection, PolyCollection



@functools.cache
def surface(number):
    """Vertices and triangles of an asteroid, in its own frame."""
    lines = [line.split() for line in open(f"{run}/frames/asteroid-{number}.obj")]
    vertices = np.array([line[1:] for line in lines if line and line[0] == "v"], float)
    return vertices, np.array([line[1:] for line in lines if line and line[0] == "f"], int) - 1


def draw_surface(axis, mesh, place, turn):
    """The triangles that face the viewer, who looks along y, darker the more they are turned away."""
    vertices, triangles = mesh
    w, v = turn[0], turn[1:]
    vertices = vertices + 2 * np.cross(v, np.cross(v, vertices) + w * vertices) + place
    corners = vertices[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = -normal[:, 1] / np.linalg.norm(normal, axis=1)
    seen = np.flatnonzero(facing > 0)
    seen = seen[np.argsort(-corners[seen].mean(axis=1)[:, 1])]
    grey = 0.15 + 0.35 * facing[seen]
    axis.add_collection(PolyCollection(corners[seen][:, :, [0, 2]], facecolors=[(g, g, g) for g in grey], edgecolors="face", linewidths=0.1))


run, picture, numbers = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]
figure, axes = plt.subplots(1, len(numbers), figsize=(3.5 * len(numbers), 3.8), facecolor="#101418")
for axis, number in zip(np.atleast_1d(axes), numbers):
    with h5py.File(f"{run}/frames/frame-{number:06d}.vtkhdf") as file:
        frame = file["VTKHDF"]
        x, radius = frame["Points"][:], frame["PointData/radius"][:]
        contacts, time = frame["PointData/contacts"][:], frame["FieldData/time"][0]
        rocks = [
            (place, turn) for place, turn in zip(frame["FieldData/asteroid_position"][:], frame["FieldData/asteroid_orientation"][:])
        ] if "asteroid_position" in frame["FieldData"] else []
    middle = rocks[0][0] if rocks else x.mean(axis=0)
    x = x - middle
    for k, (place, turn) in enumerate(rocks):
        draw_surface(axis, surface(k + 1), place - middle, turn)
    if number == numbers[0]:
        side = 1.02 * (np.abs(x).max() + radius.max())
        if rocks:
            side = max(side, 1.02 * np.linalg.norm(surface(1)[0], axis=1).max())
    back_to_front = np.argsort(-x[:, 1])
    x, radius, contacts = x[back_to_front], radius[back_to_front], contacts[back_to_front]
    colour = plt.cm.copper(0.3 + 0.11 * np.clip(contacts, 0, 6))
    depth = (x[:, 1].max() - x[:, 1]) / np.ptp(x[:, 1])
    colour[:, :3] *= (0.35 + 0.65 * depth)[:, None]
    axis.add_collection(
        EllipseCollection(
            2 * radius, 2 * radius, np.zeros_like(radius), units="xy", offsets=x[:, [0, 2]],
            transOffset=axis.transData, facecolors=colour, edgecolors="#0008", linewidths=0.3,
        )
    )
    axis.set(xlim=(-side, side), ylim=(-side, side), aspect="equal")
    axis.axis("off")
    axis.set_title(f"{time / 60:.0f} min", color="w")
figure.tight_layout()
figure.savefig(picture, dpi=80, facecolor=figure.get_facecolor())
