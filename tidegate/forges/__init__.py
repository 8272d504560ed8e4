"""Where pull requests live: GitHub and GitLab, spoken to over their REST interfaces."""
