import { createHash, timingSafeEqual } from "node:crypto";

import {
  tokenPrefixOf,
  type CountFailure,
  type RequestOrigin,
} from "../interceptors/failed-authentications.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";

/** Whether a request may read the metrics and the names of a process's parts. */
export type MetricsAccess =
  | { readonly kind: "allowed" | "forbidden" | "unknown-credential" | "undecided" }
  /** One of too many who showed what is no credential. */
  | { readonly kind: "limited"; readonly retryAfterSeconds: number };

/** Result of checking a person's credential. */
export type FoundReader = "allowed" | "forbidden" | "unknown-credential";

export interface MetricsReaders {
  /** Any of these as `Authorization: Bearer …`. */
  readonly credentials: readonly string[];
  /** Identifies the owner of any other credential. @throws Error if this is impossible now. */
  readonly findReader?: (authorization: string) => Promise<FoundReader>;
}

/** Inputs of the decision about a request. */
export interface MetricsAccessOptions {
  readonly readers: MetricsReaders | undefined;
  readonly countFailure: CountFailure | undefined;
  readonly logger: RpcLogger;
}

/** Decides what a request may read. A wrong credential is counted. */
export async function metricsAccess(
  request: RequestOrigin,
  { readers, countFailure, logger }: MetricsAccessOptions,
): Promise<MetricsAccess> {
  const { authorization } = request.headers;
  const kind = await find(authorization, readers, logger);
  if (kind !== "unknown-credential") return { kind };
  const retryAfterSeconds = await countFailure?.(request, tokenPrefixOf(authorization));
  return retryAfterSeconds === undefined ? { kind } : { kind: "limited", retryAfterSeconds };
}

async function find(
  authorization: string | undefined,
  readers: MetricsReaders | undefined,
  logger: RpcLogger,
): Promise<FoundReader | "undecided"> {
  if (authorization === undefined || readers === undefined) return "unknown-credential";
  // Digests have one length, so the comparison reveals nothing about a credential.
  const given = digest(authorization);
  if (readers.credentials.some((credential) => timingSafeEqual(given, digest(`Bearer ${credential}`))))
    return "allowed";
  try {
    return (await readers.findReader?.(authorization)) ?? "unknown-credential";
  } catch (error) {
    logger.info({ err: error }, "whose a credential is could not be found out");
    return "undecided";
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
