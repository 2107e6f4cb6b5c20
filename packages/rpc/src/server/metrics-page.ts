import { createHash, timingSafeEqual } from "node:crypto";

import type { RpcLogger } from "../interceptors/logger.port.ts";
import type { AnyRequest, AnyResponse } from "./plain-answers.ts";

/** Where the figures of a process are. */
export const metricsPath = "/metrics";

/** The figures that a listener shows, and to whom. The same may know the names of its parts, at `/readyz`. */
export interface MetricsPage {
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Any of these as `Authorization: Bearer …` opens the page. */
  readonly credentials: readonly string[];
}

/**
 * Answers `GET /metrics` to whoever has one of the credentials.
 * @returns false for any other path, which is then for somebody else to answer.
 */
export function answersMetrics(
  request: AnyRequest,
  response: AnyResponse,
  { page, logger }: { readonly page: MetricsPage | undefined; readonly logger: RpcLogger },
): boolean {
  const [path] = (request.url ?? "").split("?", 1);
  if (page === undefined || path !== metricsPath) return false;
  response.setHeader("cache-control", "no-store");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    answerText(response, 405, "The figures are read with GET.\n");
  } else if (!isOpenedBy(page, request)) {
    response.setHeader("www-authenticate", "Bearer");
    answerText(response, 401, "The staff credential, or the one for metrics, is missing or wrong.\n");
  } else {
    void show(response, page, logger);
  }
  return true;
}

async function show(response: AnyResponse, { metrics }: MetricsPage, logger: RpcLogger): Promise<void> {
  try {
    const text = await metrics.text();
    answerText(response, 200, text, metrics.contentType);
  } catch (error) {
    logger.error({ err: error }, "the figures could not be shown");
    answerText(response, 500, "Internal error.\n");
  }
}

/** Digests have one length, so that the comparison tells nothing about a credential. */
export function isOpenedBy(
  page: MetricsPage | undefined,
  { headers: { authorization = "" } }: AnyRequest,
): boolean {
  if (page === undefined) return false;
  const given = digest(authorization);
  return page.credentials.some((credential) => timingSafeEqual(given, digest(`Bearer ${credential}`)));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function answerText(response: AnyResponse, status: number, text: string, type = "text/plain"): void {
  response.statusCode = status;
  response.setHeader("content-type", type);
  response.end(text);
}
