import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { DockerfileParser } from "dockerfile-ast";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { deployFolder, readDeployment } from "./deployment.ts";

/** The image is not built here: its Dockerfile is compared with its sources. */

const root = join(import.meta.dirname, "../..");
const text = readFileSync(join(deployFolder, "Dockerfile"), "utf8");
const dockerfile = DockerfileParser.parse(text);
const instructions = dockerfile.getInstructions();
const stages = dockerfile.getFROMs();
const manifest = z
  .object({ devDependencies: z.object({ node: z.string(), pnpm: z.string() }) })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));

const argumentsOf = (keyword: string): readonly string[] =>
  instructions
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? "");

describe("the Dockerfile", () => {
  it("builds in one stage and runs in another, both on the workspace's own Node", () => {
    expect(stages.map((stage) => stage.getBuildStage())).toEqual(["builder", "runtime"]);
    const wanted = manifest.devDependencies.node.replace("^", "");
    const images = stages.map((stage) => stage.getImage());
    // By its digest: a tag can be pushed again.
    const [name, digest] = String(images[0]).split("@");
    expect([name, digest]).toEqual([`node:${wanted}-slim`, expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
    expect(images[1]).toBe(images[0]);
    expect(text).toContain(`pnpm@${manifest.devDependencies.pnpm.replace("^", "")}`);
  });

  it("installs the lockfile's packages, and copies only build results from the builder", () => {
    const runs = argumentsOf("RUN").filter((run) => run.startsWith("pnpm "));
    expect(runs).toEqual(["pnpm fetch", "pnpm install --offline --frozen-lockfile && pnpm build"]);
    const taken = dockerfile
      .getCOPYs()
      .filter((copy) => copy.getFlags().some((flag) => flag.getName() === "from"));
    expect(taken.flatMap((copy) => copy.getArguments().map((argument) => argument.getValue()))).toEqual([
      "/app/dist",
      "dist",
    ]);
  });

  it("copies existing files that its .dockerignore permits", () => {
    const ignore = readFileSync(join(deployFolder, "Dockerfile.dockerignore"), "utf8").split("\n");
    const sources = dockerfile.getCOPYs().flatMap((copy) => {
      if (copy.getFlags().some((flag) => flag.getName() === "from")) return [];
      return copy
        .getArguments()
        .slice(0, -1)
        .map((argument) => argument.getValue());
    });
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect([source, globSync(source, { cwd: root }).length]).toEqual([source, 1]);
      expect(ignore).toContain(`!${source}`);
    }
    const allowed = ignore.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect(allowed.toSorted()).toEqual(sources.toSorted());
    expect(ignore.find((line) => line !== "" && !line.startsWith("#"))).toBe("*");
  });

  it("copies every package that the program is made of", () => {
    const copied = new Set(argumentsOf("COPY").flatMap((line) => line.split(" ").slice(0, -1)));
    const packages = globSync(
      ["packages/*/package.json", "services/*/package.json", "gateway/package.json", "host/package.json"],
      {
        cwd: root,
      },
    );
    for (const path of packages) expect([...copied]).toContain(path.split("/")[0]);
  });

  it("ends as a user without privileges", () => {
    expect(
      instructions.findLast((instruction) => instruction.getKeyword() === "USER")?.getArgumentsContent(),
    ).toBe("node");
    const after = instructions.slice(instructions.findIndex((found) => found.getKeyword() === "USER") + 1);
    expect(after.map((instruction) => instruction.getKeyword())).toEqual(["ENTRYPOINT", "CMD"]);
  });

  it("holds no secret", () => {
    for (const line of [...argumentsOf("ENV"), ...argumentsOf("ARG")])
      expect(line).not.toMatch(/secret|token|password|credential|key=/i);
  });

  it("asks the process whether it lives, and hands signals to it", () => {
    expect(argumentsOf("HEALTHCHECK").join()).toContain("deploy/healthcheck.ts");
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["/bin/sh", "/app/deploy/entrypoint.sh"]']);
    expect(readFileSync(join(deployFolder, "entrypoint.sh"), "utf8")).toMatch(/^exec node /m);
  });

  it("is built by compose.yaml, in the version that compose.yaml runs", () => {
    const builds = Object.values(readDeployment().services).flatMap(({ build, image }) =>
      build === undefined ? [] : [{ ...build, image }],
    );
    const [, , , tag] = /(--tag) ((\S+))/.exec(text) ?? [];
    for (const { context, dockerfile: file, image } of builds) {
      expect(join(deployFolder, context, file)).toBe(join(deployFolder, "Dockerfile"));
      expect(image).toBe(tag);
    }
    expect(builds).toHaveLength(11);
  });
});
