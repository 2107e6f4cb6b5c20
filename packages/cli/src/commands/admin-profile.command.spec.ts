import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { useDirectory } from "../testing/data-directory.ts";
import { runAgainst, runCommand } from "../testing/run-command.ts";

const directory = useDirectory();
const line = ["admin", "account", "profile", "7"];
const answer = {
  accountId: 7n,
  profile: { profile: { kind: "person", name: "Ada" }, version: 1, missing: ["street"], changedAt: "2026" },
};

describe("admin account profile", () => {
  it("passes on the file's fields, clears those that are null, and shows the new profile", async () => {
    const asked: unknown[] = [];
    const accounts = {
      setProfile: ({ changes }: { changes?: object | undefined }) => {
        asked.push(changes);
        return answer;
      },
    };
    directory().write("F.json", JSON.stringify({ name: "Ada", postal_code: "10115", vat_id: null }));
    const file = ["--file", join(directory().path, "F.json")];
    const { stdout } = await runAgainst({ accounts }, [...line, ...file, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      account_id: 7,
      kind: "person",
      name: "Ada",
      street: null,
      missing: ["street"],
    });
    expect(asked).toMatchObject([{ name: "Ada", postalCode: "10115", vatId: "" }]);
    expect((await runAgainst({ accounts }, line)).stdout).toContain("missing       street\n");
    expect(asked[1]).toBeUndefined();
  });

  it.each([
    ["{", "it is no JSON"],
    ["[]", "must be a JSON object"],
    ['{"nmae":"Ada"}', "must be a JSON object with some of kind, name"],
    ['{"name":5}', "look at name"],
  ])("is wrong usage with the file %s", async (text, sentence) => {
    directory().write("F.json", text);
    const outcome = await runCommand([...line, "--file", join(directory().path, "F.json")]);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    expect(outcome.stderr).toContain(sentence);
  });

  it("is wrong usage with a missing file", async () => {
    expect(await runCommand([...line, "--file", join(directory().path, "none")])).toMatchObject({
      exitCode: 2,
    });
  });
});
