import { createHash, timingSafeEqual } from "node:crypto";

import {
  tokenPrefixOf,
  type CountFailure,
  type RequestOrigin,
} from "../interceptors/failed-authentications.ts";
import type { RpcLogger } from "../interceptors/logger.port.ts";

/** Whether somebody may see the figures of a process, and the names of its parts. */
export type MetricsAccess =
  | { readonly kind: "allowed" | "forbidden" | "unknown-credential" | "undecided" }
  /** One of too many who showed what is no credential. */
  | { readonly kind: "limited"; readonly retryAfterSeconds: number };

/** What a person's credential is found to be. */
export type FoundReader = "allowed" | "forbidden" | "unknown-credential";

/** Who may see them. */
export interface MetricsReaders {
  /** Any of these as `Authorization: Bearer …`. */
  readonly credentials: readonly string[];
  /** Finds whose any other credential is. @throws where that cannot be said now. */
  readonly findReader?: (authorization: string) => Promise<FoundReader>;
}

/** What decides about a request. */
export interface MetricsAccessOptions {
  readonly readers: MetricsReaders | undefined;
  readonly countFailure: CountFailure | undefined;
  readonly logger: RpcLogger;
}

/** Finds out what a request may see. What shows no valid credential is counted. */
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
  // Digests have one length, so that the comparison tells nothing about a credential.
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
