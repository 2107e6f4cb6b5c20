import type { Message } from "@bufbuild/protobuf";
import { rejectionError } from "@hostledger/rpc";
import { expect } from "vitest";

type Code = Parameters<typeof rejectionError>[0]["code"];

/** A handler that refuses with the code and a recognisable sentence. */
export const refusing = (code: Code) => (): never => {
  throw rejectionError({ code, message: wordsAbout(code) });
};

export const wordsAbout = (code: Code): string => `Words about ${code}.`;

/** Failure body caused by `refusing`; the sentence may also contain values of the request. */
export function refusedBody(code: Code) {
  const sentence: unknown = expect.stringContaining(wordsAbout(code).slice(0, -1));
  return { status: false, error: sentence, code: code.replaceAll("-", "_") };
}

/** Returns a message's own fields without those of protobuf, so specs see everything sent to a service. */
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

/** Unknown fields that every body may contain and no service receives. */
export const smuggled =
  '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"account_id":8,"id":1,"price":0';
