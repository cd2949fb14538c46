"""The retrievers in their frameworks, against a real service, whose address and key are in LOCI_URL and LOCI_API_KEY."""

import unittest
from uuid import uuid4

from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from loci_client import AsyncLoci, FileInput, Loci, LociError
from loci_client.langchain import LociRetriever as LangChainRetriever
from loci_client.llama_index import LociRetriever as LlamaIndexRetriever

OTTERS = "# Otters\n\nOtters hold hands while they sleep."
BEAVERS = "# Beavers\n\nBeavers build dams of wood."
QUESTION = "How do otters sleep?"


class Frameworks(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.loci = Loci.from_env()
        cls.addClassCleanup(cls.loci.close)
        cls.collection = cls.loci.create_collection(f"frameworks {uuid4()}").id
        files = [FileInput(data=OTTERS.encode(), name="otters.md"), FileInput(data=BEAVERS.encode(), name="beavers.md")]
        cls.loci.wait_until_ready(cls.loci.upload(cls.collection, files=files, metadata={"lang": "en"}), timeout=120)

    async def test_a_chain_of_langchain_gets_the_passages_as_its_context(self):
        async with AsyncLoci.from_env() as async_loci:
            retriever = LangChainRetriever(
                loci=self.loci, async_loci=async_loci, collection_ids=[self.collection], k=1, options={"filters": {"lang": "en"}}
            )
            [document] = retriever.invoke(QUESTION)
            self.assertEqual(("otters.md", "en"), (document.metadata["source"], document.metadata["lang"]))
            self.assertEqual(["Otters"], document.metadata["heading_path"])
            self.assertGreater(document.metadata["score"], 0)
            prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
            context = retriever | (lambda documents: "\n".join(one.page_content for one in documents))
            # The model says what it was told.
            model = RunnableLambda(lambda asked: asked.to_string())
            chain = {"context": context, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()
            self.assertIn("hold hands", chain.invoke(QUESTION))
            self.assertIn("hold hands", await chain.ainvoke(QUESTION))
            in_a_thread = LangChainRetriever(loci=self.loci, collection_ids=[self.collection], k=1)
            self.assertEqual(document.id, (await in_a_thread.ainvoke(QUESTION))[0].id)

    async def test_a_query_engine_of_llamaindex_answers_from_the_passages(self):
        async with AsyncLoci.from_env() as async_loci:
            retriever = LlamaIndexRetriever(self.loci, [self.collection], k=1, async_loci=async_loci)
            engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM())
            for answer in (engine.query(QUESTION), await engine.aquery(QUESTION)):
                # This model repeats its prompt.
                self.assertIn("hold hands", str(answer))
                [node] = answer.source_nodes
                self.assertEqual("otters.md", node.metadata["source"])
                self.assertGreater(node.score, 0)

    async def test_a_filter_for_a_missing_key_is_a_condition(self):
        options = {"filters": {"lang": None}}
        chained = LangChainRetriever(loci=self.loci, collection_ids=[self.collection], options=options)
        self.assertEqual([], chained.invoke(QUESTION))
        self.assertEqual([], LlamaIndexRetriever(self.loci, [self.collection], options=options).retrieve(QUESTION))

    async def test_errors_of_the_service_reach_the_caller(self):
        with self.assertRaises(LociError):
            LangChainRetriever(loci=self.loci, collection_ids=[uuid4()]).invoke(QUESTION)
        with self.assertRaises(LociError):
            LlamaIndexRetriever(self.loci, [uuid4()]).retrieve(QUESTION)


if __name__ == "__main__":
    unittest.main()
