"""Azure on this machine: ARM resources and their REST."""
