import { afterEach, expect, it } from "vitest";

import { recordingLogger } from "../testing/recording-logger.fixture.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { openRpcListener, type RpcListener } from "./rpc-listener.ts";

const running: RpcListener[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((listener) => listener.close(0)));
});

const page: MetricsPage = {
  metrics: {
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: () => Promise.resolve("a_figure 1\n"),
  },
  credentials: ["the staff credential", "the credential for metrics"],
};

/** A listener that has no services yet. */
async function listen(metricsPage?: MetricsPage) {
  const logger = recordingLogger();
  const listener = await openRpcListener({
    host: "127.0.0.1",
    port: 0,
    logger,
    ...(metricsPage === undefined ? {} : { metricsPage }),
  });
  running.push(listener);
  const get = (authorization?: string, method = "GET") =>
    fetch(`${listener.url}/metrics`, {
      method,
      headers: authorization === undefined ? {} : { authorization },
    });
  return { get, logger };
}

it("shows the figures under either credential, while the process still starts", async () => {
  const { get } = await listen(page);
  for (const credential of page.credentials) {
    const answer = await get(`Bearer ${credential}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe(page.metrics.contentType);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.text()).toBe("a_figure 1\n");
  }
});

it.each([undefined, "Bearer ", "Bearer the staff", "the staff credential", "Basic the staff credential"])(
  "shows nothing to who brings %s",
  async (authorization) => {
    const { get } = await listen(page);
    const answer = await get(authorization);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(await answer.text()).not.toContain("a_figure");
  },
);

it("is read with GET only", async () => {
  const { get } = await listen(page);
  const answer = await get("Bearer the staff credential", "POST");
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET, HEAD");
});

it("reports a failure when the metrics cannot be read, with the reason in the log only", async () => {
  const text = () => Promise.reject(new Error("a bug"));
  const { get, logger } = await listen({ ...page, metrics: { ...page.metrics, text } });
  const answer = await get("Bearer the staff credential");
  expect(answer.status).toBe(500);
  expect(await answer.text()).toBe("Internal error.\n");
  expect(logger.errors).toMatchObject([{ err: { message: "a bug" } }]);
});

it("is missing at a listener without metrics", async () => {
  const { get } = await listen();
  expect((await get("Bearer the staff credential")).status).not.toBe(200);
});
