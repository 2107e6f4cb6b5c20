import type { IncomingMessage, ServerResponse } from "node:http";

import express from "express";
import { expect, it, onTestFinished } from "vitest";

import { createExpressMessages, startHttp } from "./server.ts";

it("makes messages that Express need not change, for one app after the other", async () => {
  const messages = createExpressMessages();
  const appNamed = (name: string): express.Express => {
    const app = express();
    app.set("name", name);
    app.use((request, response) => {
      response.json({ request: request.app.get("name"), response: response.app.get("name") });
    });
    messages.belongTo(app);
    return app;
  };
  const prototypes = (request: IncomingMessage, response: ServerResponse): unknown[] =>
    [request, response].map((message): unknown => Object.getPrototypeOf(message));
  let app = appNamed("first");
  const changed: boolean[] = [];
  const listener = await startHttp({
    host: "127.0.0.1",
    port: 0,
    ids: { requestId: () => "r-1" },
    logger: { info: () => undefined },
    messages,
    handle: (request, response) => {
      const before = prototypes(request, response);
      app(request, response);
      changed.push(prototypes(request, response).some((after, index) => after !== before[index]));
    },
  });
  onTestFinished(() => listener.close(0));
  const ask = async (): Promise<unknown> => (await fetch(listener.url)).json();

  expect(await ask()).toEqual({ request: "first", response: "first" });
  app = appNamed("second");
  expect(await ask()).toEqual({ request: "second", response: "second" });
  expect(changed).toEqual([false, false]);
});
