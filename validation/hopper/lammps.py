"""Writes the LAMMPS input (22Jul2025, package GRANULAR) of the same law and geometry: the numbers that ours are held against.

Usage: lammps.py NAME PLATE CONTAINER THICKNESS N MU_GRAINS MU_WALLS MU_R MU_T BETA SEED > NAME.in
Lengths in grain diameters; plate and container are half widths. Case (b): NAME 7.5 12.5 4 1154 0.4 0.4 1.05 1.3 0.025 11;
case (a): NAME 15 20 4 2000 0.4 0.6 0.8 1.3 0.025 21. NAME.dump holds the grains left after 2.5 s.
LAMMPS' rolling is a force at the effective radius: its stiffness is k_N beta^2 and its coefficient mu_R beta.
"""

import math
import sys

name = sys.argv[1]
plate, container, thickness, n, mu, mu_wall, mu_r, mu_t, beta, seed = map(float, sys.argv[2:12])
radius, density, k_n, e_n, e_s = 0.005, 2500.0, 2.61e4, 0.7099, 0.5217
mass = density * 4 / 3 * math.pi * radius**3
k_s = 2 / 7 * k_n
x_plate, x_wall, y_wall = (2 * radius * q for q in (plate, container, thickness))


def damping(e, k, m):
    """Table 2 of asteroid-surface-2024."""
    return -2 * math.log(e) * math.sqrt(k * m / (math.pi**2 + math.log(e) ** 2))


def law(m, r_e, mu):
    c_n, c_s, b = damping(e_n, k_n, m), damping(e_s, k_s, m), beta * r_e
    return (
        f"hooke {k_n} {c_n:.10g} tangential linear_history {k_s:.10g} {c_s / c_n:.10g} {mu} "
        f"rolling sds {k_n * beta**2:.10g} {c_n * beta**2:.10g} {mu_r * beta:.10g} "
        f"twisting sds {2 * k_s * b**2:.10g} {2 * c_s * b**2:.10g} {mu_t * b * mu:.10g} damping velocity"
    )


grains, walls = law(mass / 2, radius / 2, mu), law(mass, radius, mu_wall)
floor = f"-0.05 {y_wall + 0.05} -0.004 0 side out"
print(f"""units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block {-x_wall - 0.05} {x_wall + 0.05} -0.05 {y_wall + 0.05} -0.4 0.8
create_box 1 box
region fill block {radius - x_wall} {x_wall - radius} {radius} {y_wall - radius} {radius} 0.75
create_atoms 1 random {int(n)} {int(seed)} fill overlap {2.02 * radius} maxtry 5000
set type 1 diameter {2 * radius} density {density}
neighbor 0.002 bin
neigh_modify delay 0 every 1 check yes
pair_style granular
pair_coeff * * {grains}
fix move all nve/sphere
fix weight all gravity 9.8 vector 0 0 -1
fix ends all wall/gran granular {walls} xplane {-x_wall} {x_wall}
fix faces all wall/gran granular {walls} yplane 0 {y_wall}
region plate block {-x_plate} {x_plate} {floor}
region left block {-x_wall - 0.05} {-x_plate} {floor}
region right block {x_plate} {x_wall + 0.05} {floor}
fix plate all wall/gran/region granular {walls} region plate
fix left all wall/gran/region granular {walls} region left
fix right all wall/gran/region granular {walls} region right
timestep 1e-5
region above block {-x_plate} {x_plate} INF INF 0 INF
variable left equal count(all,above)
thermo_style custom step atoms ke v_left
thermo_modify lost ignore
thermo 20000
run 120000
unfix left
unfix right
run 250000
write_dump all custom {name}.dump id x y z modify sort id""")
