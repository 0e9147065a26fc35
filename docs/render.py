"""Draws frames of a run side by side, coloured by the number of contacts: the picture of the README.

    python docs/render.py runs/collapse docs/collapse.png 0 20 30 120      (needs h5py, numpy, matplotlib)
"""
import sys

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.collections import EllipseCollection

run, picture, numbers = sys.argv[1], sys.argv[2], [int(n) for n in sys.argv[3:]]
figure, axes = plt.subplots(1, len(numbers), figsize=(3.5 * len(numbers), 3.8), facecolor="#101418")
for axis, number in zip(np.atleast_1d(axes), numbers):
    with h5py.File(f"{run}/frames/frame-{number:06d}.vtkhdf") as file:
        frame = file["VTKHDF"]
        x, radius = frame["Points"][:], frame["PointData/radius"][:]
        contacts, time = frame["PointData/contacts"][:], frame["FieldData/time"][0]
    x = x - x.mean(axis=0)
    if number == numbers[0]:
        side = 1.02 * (np.abs(x).max() + radius.max())
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
