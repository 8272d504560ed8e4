"""A GPU node pool on EKS, GKE or AKS."""
