"""Budgets: moto cannot change one."""

from __future__ import annotations

import json
from typing import Any

from tidegate.localclouds.aws.corrections.patching import add


def correct_budgets() -> None:
    """Give moto the update."""
    from moto.budgets.responses import BudgetsResponse

    add(BudgetsResponse, update_budget=_update)


def _update(self: Any) -> str:
    from moto.budgets.exceptions import NotFoundException
    from moto.budgets.models import Budget

    account, asked = self._get_param("AccountId"), self._get_param("NewBudget")
    name = asked["BudgetName"]
    budgets = self.backend.budgets[account]
    if name not in budgets:
        raise NotFoundException(f"Unable to update budget: {name} - the budget doesn't exist.")
    before = budgets[name]
    kept = {"TimePeriod": before.budget["TimePeriod"], **asked}
    budgets[name] = Budget(kept, [])
    budgets[name].notifications = before.notifications
    return json.dumps({})
