"""AWS in the local clouds: its types over moto, whose faults are corrected here."""
