import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { renderOpenApiDocument } from "@hostledger/gateway";
import { documentedOperations, pathOf } from "@hostledger/gateway/testing";
import { directoryOfTest } from "@hostledger/runtime/testing";
import { expect, it, onTestFinished } from "vitest";

import { openDocumentShop, resourcesOf, sendUntilProven } from "./contract-document.fixture.ts";

/**
 * Clients that others generate from the OpenAPI document: by openapi-typescript (with openapi-fetch), hey-api and orval
 * (each with zod). They compile under `tsc --strict`, and work with an instance. NSwag needs .NET, which tests do not: what broke it
 * and Kiota is asserted of the document itself (`gateway/src/openapi/document.spec.ts`).
 */

const run = promisify(execFile);
const root = fileURLToPath(import.meta.resolve("../../"));
const generators = join(root, "test/node_modules/.bin");

const strict = {
  compilerOptions: {
    strict: true,
    target: "ES2023",
    module: "ESNext",
    moduleResolution: "Bundler",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    types: [],
    noEmit: true,
  },
  include: ["."],
};

/** Generates all clients into a directory, with the document's server in place of its relative one. */
async function generate(directory: string, baseUrl: string): Promise<void> {
  const write = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text);
  };
  write("openapi.json", renderOpenApiDocument());
  write("package.json", JSON.stringify({ type: "module" }));
  write("tsconfig.json", JSON.stringify(strict));
  symlinkSync(join(root, "test/node_modules"), join(directory, "node_modules"));
  copyFileSync(join(root, "test/support/generated-clients/course.ts.txt"), join(directory, "course.ts"));
  const orval = (target: string, client: string) => ({
    input: "./openapi.json",
    output: { target, client, mode: "single", ...(client === "zod" ? {} : { baseUrl }) },
  });
  const jobs = { client: orval("./orval/client.ts", "fetch"), zod: orval("./orval/zod.ts", "zod") };
  write("orval.config.mjs", `export default ${JSON.stringify(jobs)};`);
  const heyApi = {
    input: "./openapi.json",
    output: "hey-api",
    plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "zod", "@hey-api/typescript"],
    logs: { file: false },
  };
  write("hey-api.config.mjs", `export default ${JSON.stringify(heyApi)};`);
  mkdirSync(join(directory, "openapi-typescript"));
  const command = (name: string, ...words: readonly string[]) =>
    run(join(generators, name), words, { cwd: directory });
  await command("openapi-typescript", "openapi.json", "-o", "openapi-typescript/schema.d.ts");
  await command("openapi-ts", "-f", "hey-api.config.mjs");
  await command("orval", "--config", "orval.config.mjs");
}

/** What an instance answers each GET, by the operation's id. */
async function answersOf(
  shop: Awaited<ReturnType<typeof openDocumentShop>>,
  ids: Readonly<Record<string, number>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const operation of documentedOperations(JSON.parse(renderOpenApiDocument()))) {
    // The document, and files, are not JSON of a schema.
    if (operation.method !== "get" || !operation.needsKey || /\.(?:pdf|xml)$/u.test(operation.path)) continue;
    const path = pathOf(operation, { ...ids, name: "www", type: "A" });
    const query = operation.id === "searchDomain" ? "?domain=free-to-take.com" : "";
    const answer = await sendUntilProven(shop.owner, { method: "GET", path: path + query, headers: {} });
    expect([operation.id, answer.status]).toEqual([operation.id, 200]);
    answers[operation.id] = answer.body;
  }
  return answers;
}

it("generated clients compile under tsc --strict, register, list, read nulls and failures; their zod schemas accept every answer", async () => {
  const shop = await openDocumentShop();
  onTestFinished(() => shop.close());
  const directory = directoryOfTest();
  const { baseUrl } = shop.instance;
  await generate(directory, baseUrl);
  await run(join(root, "node_modules/.bin/tsc"), ["-p", directory]).catch((error: unknown) => {
    throw new Error(`the clients do not compile: ${JSON.stringify(error)}`, { cause: error });
  });
  const ids = await resourcesOf(shop, shop.owner, "generated-clients.com");
  writeFileSync(join(directory, "answers.json"), JSON.stringify(await answersOf(shop, ids)));
  await run(
    join(root, "node_modules/.bin/rolldown"),
    ["course.ts", "--file", "course.mjs", "--platform", "node"],
    {
      cwd: directory,
    },
  );
  const { apiKey } = await shop.customer(100_000n);
  const course = pathToFileURL(join(directory, "course.mjs")).href;
  const script = `
    import { readFileSync } from "node:fs";
    import { byHeyApi, byOpenapiFetch, byOrval, readBySchemas } from ${JSON.stringify(course)};
    const place = ${JSON.stringify({ baseUrl, apiKey })};
    for (const use of [byOpenapiFetch, byHeyApi, byOrval]) await use(place);
    console.log(readBySchemas(JSON.parse(readFileSync("answers.json", "utf8"))));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: directory });
  expect(Number(stdout)).toBeGreaterThan(40);
});
