"""What is paid for whether used or not: read, checked and declared alike for every component."""
