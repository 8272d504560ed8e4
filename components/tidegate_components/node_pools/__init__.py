"""What node pools with and without accelerators share: arguments, rules, declarations."""
