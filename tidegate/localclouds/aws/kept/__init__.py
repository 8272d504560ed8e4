"""Services and actions that moto lacks, or keeps only in part, kept here instead.

A request is read and its answer written by botocore's own description of the service, and what
was asked for is what a description answers: nothing is lost on the way. Each module has the
kinds of one service: what names them, what they refer to, what the service adds. State is one
front's, in memory; moto's journal brings it back after a restart, as it does moto's own.
"""
