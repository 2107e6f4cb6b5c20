import { createServer, type RequestListener, type Server } from "node:http";

import { listen } from "@hostledger/runtime/testing/listen";
import express from "express";

import { serveParent } from "../harness/child.ts";
import { staticServerSchema, type RecordedAnswer } from "./static-answers.ts";

/** A server that gives recorded answers from memory, with Express 5 or without anything. */
let server: Server | undefined;

serveParent(
  async (question) => {
    const { kind, answers } = staticServerSchema.parse(question);
    server = createServer(kind === "express" ? expressApp(answers) : bareListener(answers));
    return { port: await listen(server) };
  },
  () => server?.closeAllConnections(),
);

function expressApp(answers: readonly RecordedAnswer[]): RequestListener {
  const app = express();
  // Sends only the headers of the recorded answer.
  app.disable("x-powered-by");
  app.disable("etag");
  for (const { path, headers, body } of answers) {
    const bytes = Buffer.from(body);
    app.get(path.replace(/\d+$/, ":id"), (_request, response) => {
      response.set(headers).send(bytes);
    });
  }
  return app;
}

function bareListener(answers: readonly RecordedAnswer[]): RequestListener {
  const byPath = new Map(
    answers.map(({ path, headers, body }) => [
      path,
      { headers: Object.entries(headers).flat(), bytes: Buffer.from(body) },
    ]),
  );
  return (request, response) => {
    const answer = byPath.get(request.url ?? "");
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, answer.headers).end(answer.bytes);
  };
}
