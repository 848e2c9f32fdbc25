"""Bayesian networks: known truths to sample from, and the catalogue of bundled ones."""

from paucal.networks.bayesnet import BayesNet as BayesNet
from paucal.networks.bif import read_bif as read_bif
from paucal.networks.bif import with_safe_names as with_safe_names
from paucal.networks.bif import write_bif as write_bif
from paucal.networks.catalogue import CatalogueEntry as CatalogueEntry
from paucal.networks.catalogue import catalogue as catalogue
from paucal.networks.catalogue import load_network as load_network
from paucal.networks.tiling import tile as tile
