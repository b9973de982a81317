"""Jobs of real processes over gloo, right ones and broken ones: what they leave behind, for verify, observe and why."""
from of import torch

VERSIONS = [version for version in torch.VERSIONS if torch.at_least(version, 4)]
TOPICS = {"verify": 3, "why": 2}  # and each one's share of the cases
environment = torch.environment
