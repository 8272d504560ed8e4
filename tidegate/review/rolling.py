"""What hindsight could have bought at any hour: the bound that policies are held against."""

from __future__ import annotations

import highspy
import numpy as np

from tidegate.review.portfolio import Floats


def bound_rolling(use: Floats, term: int, discount: float) -> float:
    """Return the least cost of use with commitments bought at any hours and in any amounts.

    A linear program: what is active in an hour is what was bought within the term before it; the
    active part costs 1 − d, what it does not cover 1.

    Args:
        use: Use an hour; every hour is known beforehand.
        term: Hours that a purchase lasts.
        discount: How much cheaper a commitment is, from 0 to 1.
    """
    hours = len(use)
    if hours == 0 or not use.any():
        return 0.0
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(_build_program(use, term, discount))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ArithmeticError(f"HiGHS ended with {solver.getModelStatus()}")
    return float(solver.getInfo().objective_function_value)


def find_constant(use: Floats, discount: float) -> float:
    """Return the least cost with one amount for every hour: the d-quantile of the use."""
    if len(use) == 0:
        return 0.0
    amount = float(np.quantile(use, discount, method="inverted_cdf"))
    return float((1 - discount) * amount * len(use) + np.maximum(use - amount, 0.0).sum())


def _build_program(use: Floats, term: int, discount: float) -> highspy.HighsLp:
    """Return the program over (bought, active, on demand), hour by hour each."""
    hours = len(use)
    starts, columns, values = [0], [], []
    for hour in range(hours):
        # active − active before − bought + bought a term ago = 0
        entries = [(hours + hour, 1.0), (hour, -1.0)]
        entries += [(hours + hour - 1, -1.0)] if hour else []
        entries += [(hour - term, 1.0)] if hour >= term else []
        columns += [column for column, _ in entries]
        values += [value for _, value in entries]
        starts.append(len(columns))
    for hour in range(hours):
        columns += [hours + hour, 2 * hours + hour]
        values += [1.0, 1.0]
        starts.append(len(columns))
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = 3 * hours, 2 * hours
    program.col_cost_ = np.repeat([0.0, 1 - discount, 1.0], hours)
    program.col_lower_ = np.zeros(3 * hours)
    program.col_upper_ = np.full(3 * hours, highspy.kHighsInf)
    program.row_lower_ = np.concatenate([np.zeros(hours), use])
    program.row_upper_ = np.concatenate([np.zeros(hours), np.full(hours, highspy.kHighsInf)])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.array(starts)
    program.a_matrix_.index_ = np.array(columns)
    program.a_matrix_.value_ = np.array(values)
    return program
