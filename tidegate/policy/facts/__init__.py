"""What resources of each cloud say, in words that rules share: one shape for three clouds.

A rule that asks for "the largest size" should not know where each cloud writes it. What is read
here is never judged here: rules decide.
"""
