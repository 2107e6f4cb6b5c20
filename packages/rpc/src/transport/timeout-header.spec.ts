import { describe, expect, it } from "vitest";

import { timeoutOf } from "./timeout-header.ts";

describe("timeoutOf", () => {
  it.each([
    [{ "connect-timeout-ms": "250" }, 250],
    [{ "grpc-timeout": "2S" }, 2000],
    [{ "grpc-timeout": "1H" }, 3_600_000],
    [{ "grpc-timeout": "3M" }, 180_000],
    [{ "grpc-timeout": "5m" }, 5],
    [{ "grpc-timeout": "500u" }, 0.5],
    [{ "connect-timeout-ms": "0" }, 0],
    [{}, undefined],
    [{ "connect-timeout-ms": "soon" }, undefined],
    [{ "connect-timeout-ms": "-1" }, undefined],
    [{ "grpc-timeout": "5" }, undefined],
    [{ "grpc-timeout": "123456789S" }, undefined],
  ])("reads %o as %s", (headers, expected) => {
    expect(timeoutOf(new Headers(headers))).toBe(expected);
  });
});
