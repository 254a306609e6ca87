"""A statement with everything that carries it, in one file that anybody can check without this product."""

from knowledge.proof.bundle import ProofFile, proof_of

__all__ = ["ProofFile", "proof_of"]
