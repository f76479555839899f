"""Readers of what interfaces of models and frameworks around them write, one a module."""

from memguard.transcripts.apis.ai_sdk import AiSdk
from memguard.transcripts.apis.anthropic import Anthropic
from memguard.transcripts.apis.exchanges import Exchanges
from memguard.transcripts.apis.gemini import Gemini
from memguard.transcripts.apis.huggingface import HuggingFace
from memguard.transcripts.apis.langchain import LangChain
from memguard.transcripts.apis.langsmith import LangSmith
from memguard.transcripts.apis.llamaindex import LlamaIndex
from memguard.transcripts.apis.oasst import Oasst
from memguard.transcripts.apis.openai_responses import OpenAIResponses
from memguard.transcripts.apis.openai_threads import OpenAIThreads
from memguard.transcripts.apis.sharegpt import ShareGPT
from memguard.transcripts.document import Reader

READERS: tuple[Reader, ...] = (
    OpenAIThreads(),
    OpenAIResponses(),
    Anthropic(),
    Gemini(),
    LangSmith(),
    LangChain(),
    LlamaIndex(),
    ShareGPT(),
    Oasst(),
    AiSdk(),
    Exchanges(),
    HuggingFace(),
)
"""In the order in which equally sure readers are preferred."""

__all__ = ["READERS"]
