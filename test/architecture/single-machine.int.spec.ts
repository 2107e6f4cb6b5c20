import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { readConfiguration } from "@hostledger/host/configuration";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { deployFolder, imageEnvironment } from "./deployment.ts";

/** A single machine with the embedded store: a container, or a unit of systemd. */

const container = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }),
  command: z.array(z.string()),
  user: z.string(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal("ALL")]),
  tmpfs: z.array(z.string()),
  ports: z.array(z.string()),
  volumes: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
});

describe("compose.single.yaml", () => {
  const text = readFileSync(join(deployFolder, "compose.single.yaml"), "utf8");
  const { services } = z
    .object({ services: z.object({ hostledger: container }), volumes: z.object({ data: z.null() }) })
    .parse(parse(text, { uniqueKeys: true }));
  const { hostledger } = services;

  it("is one container of our image, which writes to its volume and to memory alone", () => {
    expect(join(deployFolder, hostledger.build.context, hostledger.build.dockerfile)).toBe(
      join(deployFolder, "Dockerfile"),
    );
    const image = /--tag (\S+)/.exec(readFileSync(join(deployFolder, "Dockerfile"), "utf8"))?.[1];
    expect(hostledger).toMatchObject({
      image,
      command: ["start"],
      user: "1000:1000",
      volumes: ["data:/data"],
    });
    expect(hostledger.tmpfs.map((place) => place.split(":")[0])).toEqual(["/tmp"]);
    for (const port of hostledger.ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it("is configured by settings that exist, with the embedded store", () => {
    const settings = { ...imageEnvironment(), ...hostledger.environment };
    expect(readConfiguration(settings)).toMatchObject({
      data: "/data",
      eventStore: "embedded",
      database: "sqlite",
      host: "0.0.0.0",
      adminHost: "127.0.0.1",
    });
  });
});

describe("hostledger.service", () => {
  const file = join(deployFolder, "hostledger.service");
  const lines = readFileSync(file, "utf8").split("\n");
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));

  it("is configured by settings that exist, in the directory that systemd makes for it", () => {
    const settings = valuesOf("Environment").map((value): [string, string] => {
      const at = value.indexOf("=");
      return [value.slice(0, at), value.slice(at + 1)];
    });
    const ours = settings.filter(([name]) => name.startsWith("HOSTLEDGER_"));
    expect(readConfiguration(Object.fromEntries(ours))).toMatchObject({
      data: "%S/hostledger",
      eventStore: "embedded",
    });
    expect(valuesOf("StateDirectory")).toEqual(["hostledger"]);
    expect(valuesOf("ExecStart")).toEqual(["/usr/bin/env hostledger start"]);
  });

  it("waits for a stop longer than a stop takes", () => {
    expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(40);
  });

  it("is valid for systemd, if that is installed", () => {
    const program = "/usr/bin/systemd-analyze";
    if (!existsSync(program)) return;
    const { status, stderr } = spawnSync(program, ["verify", file], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
