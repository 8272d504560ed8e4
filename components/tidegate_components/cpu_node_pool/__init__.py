"""A pool of plain nodes on EKS, GKE or AKS."""
