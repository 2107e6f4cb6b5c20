import type { Message } from "@bufbuild/protobuf";
import { rejectionError } from "@hostledger/rpc";
import { expect } from "vitest";

type Code = Parameters<typeof rejectionError>[0]["code"];

/** A handler that refuses with the code, in words that show whose they are. */
export const refusing = (code: Code) => (): never => {
  throw rejectionError({ code, message: wordsAbout(code) });
};

/** What `refusing` says. */
export const wordsAbout = (code: Code): string => `Words about ${code}.`;

/** The failure body that `refusing` leads to; its sentence may name values of the request as well. */
export function refusedBody(code: Code) {
  const sentence: unknown = expect.stringContaining(wordsAbout(code).slice(0, -1));
  return { status: false, error: sentence, code: code.replaceAll("-", "_") };
}

/** A message's fields without what protobuf adds, so that a spec sees everything that a service was told. */
export function fieldsOf(message: Message | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message ?? {})
      .filter(([name]) => !name.startsWith("$"))
      .map(([name, value]: [string, unknown]) => [name, isMessage(value) ? fieldsOf(value) : value]),
  );
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}

/** Unknown fields that every body may have and no service ever sees. */
export const smuggled =
  '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"account_id":8,"id":1,"price":0';
