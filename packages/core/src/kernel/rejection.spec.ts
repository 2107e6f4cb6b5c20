import { describe, expect, it, test } from "vitest";

import { rejectionCatalogue } from "./rejection-catalogue.ts";
import { rejection } from "./rejection.ts";

describe("the catalogue of refusals", () => {
  test.each(Object.entries(rejectionCatalogue))(
    "%s has two sentences",
    (code, { sentence, clientAction }) => {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(clientAction).toMatch(/^[A-Z].*\.$/);
    },
  );

  it("uses its own sentence unless a better one is given", () => {
    expect(rejection("not-found")).toEqual({ code: "not-found", message: "There is no such resource." });
    expect(rejection("not-found", "There is no such account.", { retryAfterSeconds: 1 })).toEqual({
      code: "not-found",
      message: "There is no such account.",
      detail: { retryAfterSeconds: 1 },
    });
  });
});
