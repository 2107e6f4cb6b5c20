import { MIMEType } from "node:util";

import type { Request } from "express";
import readBody from "raw-body";

import { defined } from "@hostledger/runtime";

import { RefusalError } from "./refusal.ts";
import { invalidField } from "./validation.ts";

/** Maximum body size in bytes (contract, "Conventions"). */
export const maximumBodyBytes = 64 * 1024;

/**
 * Reads the JSON object of a request's body. A missing body is read as an empty object, so validation names the missing
 * fields.
 * @throws RefusalError 415 for another media type or charset, 400 for invalid UTF-8 or JSON, 422 if the JSON is no
 * object.
 * @throws HttpError of the body reader: 413 for a body that is too large, 400 if the client breaks off.
 */
export async function readJsonObject(request: Request): Promise<object> {
  if (!hasBody(request)) return {};
  refuseOtherMediaTypes(request.headers["content-type"]);
  refuseEncodings(request.headers["content-encoding"]);
  const bytes = await bytesOf(request);
  return bytes.byteLength > 0 ? parseObject(bytes) : {};
}

/**
 * Reads a body as it came. @param longest maximum bytes @param tooLarge sentence of the refusal of more
 * @throws RefusalError 413 for a larger body, 415 for a compressed one. HttpError 400 if the client breaks off.
 */
export async function readBytes(request: Request, longest: number, tooLarge: string): Promise<Buffer> {
  refuseEncodings(request.headers["content-encoding"]);
  try {
    return await bytesOf(request, longest);
  } catch (error) {
    if (!(error instanceof Error && "status" in error && error.status === 413)) throw error;
    throw new RefusalError({ code: "payload-too-large", message: tooLarge });
  }
}

async function bytesOf(request: Request, limit = maximumBodyBytes): Promise<Buffer> {
  try {
    return await readBody(request, {
      limit,
      ...defined({ length: request.headers["content-length"] }),
    });
  } catch (error) {
    // The reader stopped inside the body. Discarding the remainder lets clients read the answer; the server's request
    // timeout limits the wait.
    request.resume();
    throw error;
  }
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function refuseOtherMediaTypes(header: string | undefined): void {
  const type = mediaType(header ?? "");
  const charset = type?.params.get("charset")?.toLowerCase() ?? "utf-8";
  if (type?.essence === "application/json" && charset === "utf-8") return;
  throw new RefusalError({
    code: "unsupported-media-type",
    message: "The body must be JSON in UTF-8; send it with `Content-Type: application/json`.",
  });
}

/** Refuses compressed bodies, because a few bytes can unpack to gigabytes. */
function refuseEncodings(header = "identity"): void {
  if (header.toLowerCase() === "identity") return;
  throw new RefusalError({
    code: "unsupported-media-type",
    message: "Send the body without a Content-Encoding.",
  });
}

function mediaType(header: string): MIMEType | undefined {
  try {
    return new MIMEType(header);
  } catch {
    return undefined;
  }
}

function parseObject(bytes: Uint8Array): object {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidField("body", `The body must be a JSON object, not ${kindOf(value)}.`);
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RefusalError({ code: "malformed-request", message: "The body is not valid UTF-8." });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusalError({ code: "malformed-request", message: "The body is not valid JSON." });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
