"""The record of a run: a hash-chained JSONL, one record a stage, one of a person's overrides, a closing one.

Every record holds the hash of the one before it; the closing record holds the count. The chain
shows any edit that does not recompute it, truncation included; comparing the head with one that
was kept elsewhere shows recomputation too.
"""

from memguard.audit.chain import CLOSING as CLOSING
from memguard.audit.chain import GENESIS as GENESIS
from memguard.audit.chain import AuditRecord as AuditRecord
from memguard.audit.chain import digest as digest
from memguard.audit.chain import dumps as dumps
from memguard.audit.chain import head as head
from memguard.audit.chain import write as write
from memguard.audit.details import NO_MODEL as NO_MODEL
from memguard.audit.recording import OVERRIDES as OVERRIDES
from memguard.audit.recording import SCHEMA as SCHEMA
from memguard.audit.recording import records as records
from memguard.audit.verification import Verification as Verification
from memguard.audit.verification import verify as verify
from memguard.audit.verification import verify_text as verify_text
from memguard.errors import AuditError as AuditError
