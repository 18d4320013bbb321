"""Chat completions at Azure, where a deployment stands for a model.

Source: https://learn.microsoft.com/azure/ai-services/openai/reference.
"""

from urllib.parse import quote

import msgspec

from tabwright.llm.openai import chat_body, chat_completion
from tabwright.llm.vendor import Call, Manner, Place, Reply
from tabwright.protocol.llm import Completion, Question


class AzureDialect:
    """OpenAI's form, with the deployment in the URL and the key in a header of its own."""

    def call(self, question: Question, place: Place, manner: Manner) -> Call:
        """See `Dialect`."""
        path = f"/openai/deployments/{quote(place.name, safe='')}/chat/completions"
        url = f"{place.base_url}{path}?api-version={quote(place.api_version, safe='')}"
        body = chat_body(question, manner, "max_completion_tokens")
        return Call(url, (("api-key", place.key),), msgspec.json.encode(body))

    def completion(self, reply: Reply, place: Place) -> Completion:
        """See `Dialect`."""
        return chat_completion(reply, place)
