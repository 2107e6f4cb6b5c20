import { asLine, type DelegationSigner, type NamedInstallation } from "@hostledger/core";
import { KeyedMutex } from "@hostledger/runtime/async";
import { z } from "zod";

import { right, wrong, type ProviderFinding } from "../check/provider-check.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import { sameRecords, type Dns, type Zone, type ZoneHolding, type ZoneRecordSet } from "./dns.port.ts";
import { callPowerdns, refusalOf, type PowerdnsReply, type PowerdnsServer } from "./powerdns-api.ts";
import {
  absolute,
  powerdnsRrset,
  recordsOf,
  rrsetOf,
  rrsetsOf,
  type PowerdnsRrset,
} from "./powerdns-rrsets.ts";
import { longestAccount, zoneAccounts, type ZoneAccounts } from "./zone-accounts.ts";

export interface PowerdnsOptions extends PowerdnsServer {
  /** `native`: the database is replicated. `primary`: secondaries are notified of changes. */
  readonly zoneKind: "native" | "primary";
  /** Nameservers of the zones; the first is the primary in the SOA. */
  readonly nameservers: readonly string[];
  /** Mailbox of the SOA as a name (RFC 1035 §3.3.13); default: `hostmaster` at the first nameserver's domain. */
  readonly hostmaster?: string;
  /** PowerDNS `account` that marks our zones, because the server may have foreign zones. */
  readonly account: string;
  /** True to sign new zones. */
  readonly isSigned: boolean;
  /** Distinguishes this installation's zones from others with the same `account`. Absent: no distinction. */
  readonly installation?: () => Promise<NamedInstallation>;
}

/** TTL of SOA and NS in seconds, and the SOA's refresh, retry, expire and negative TTL (RIPE-203). */
const apexTtl = 3_600;
const soaTimes = "86400 7200 3600000 3600";

const zoneAnswer = z.object({ account: z.string().default(""), rrsets: z.array(powerdnsRrset).default([]) });
const zonesAnswer = z.array(z.object({ name: z.string(), account: z.string() }));
const serverAnswer = z.object({ daemon_type: z.string(), version: z.string() });
/** A DS record in presentation format (RFC 4034 §5.3). */
const signerAnswer = z
  .string()
  .regex(/^\d{1,5} \d{1,3} \d{1,3} (?:[\da-f]{2}){20,64}$/i)
  .transform((presented): DelegationSigner => {
    const [keyTag, algorithm, digestType, digest = ""] = presented.split(" ");
    return {
      keyTag: Number(keyTag),
      algorithm: Number(algorithm),
      digestType: Number(digestType),
      digest: digest.toUpperCase(),
    };
  });
const keysAnswer = z.array(
  z.object({
    active: z.boolean(),
    published: z.boolean().default(true),
    /** One per digest type; only for key-signing keys. */
    ds: z.array(signerAnswer).default([]),
  }),
);
/** SHA-256, which every validating resolver supports; a second digest adds nothing (RFC 8624 §3.3). */
const sha256 = 2;
/**
 * DNS adapter for PowerDNS's HTTP API (https://doc.powerdns.com/authoritative/http-api/). A 4xx refusal means not
 * carried out; any other failure leaves the outcome unknown.
 */
export class PowerdnsDns implements Dns {
  readonly #options: PowerdnsOptions;
  /** Serialises calls per zone, because a zone in creation is visible without its records. */
  readonly #zones = new KeyedMutex<string>();
  readonly signers?: (zone: string) => Promise<Outcome<readonly DelegationSigner[]>>;
  #isServerKnown = false;

  constructor(options: PowerdnsOptions) {
    this.#options = options;
    if (options.isSigned) this.signers = (zone) => this.#signers(zone);
  }

  createZone(zone: Zone): Promise<Outcome<void>> {
    return this.#zones.run(zone.name, async () => {
      const created = await this.#create(zone);
      if (created.outcome === "done") await this.#notify(zone.name);
      return created;
    });
  }

  replaceRecordSets(zone: string, sets: readonly ZoneRecordSet[]): Promise<Outcome<void>> {
    // Removals come first, so that an alias can replace addresses in one request.
    const inOrder = sets.toSorted(
      (left, right) => Math.sign(left.records.length) - Math.sign(right.records.length),
    );
    const rrsets = inOrder.map((set) => {
      const { records, ...rrset } = rrsetOf(zone, set);
      return records.length === 0
        ? { ...rrset, changetype: "DELETE" }
        : { ...rrset, changetype: "REPLACE", records };
    });
    return this.#zones.run(zone, async () => {
      const objection = await this.#objectionTo(zone);
      if (objection !== undefined) return objection;
      const reply = await callPowerdns(this.#options, "PATCH", pathOf(zone), { rrsets });
      if ("outcome" in reply) return reply;
      if (reply.status === 404) return refused("rejected", `The DNS server has no zone ${zone}.`);
      if (reply.status !== 204) return refusalOf(reply);
      await this.#notify(zone);
      return done(undefined);
    });
  }

  inquireZone(name: string): Promise<Outcome<ZoneHolding>> {
    return this.#zones.run(name, () => this.#inquire(name));
  }

  deleteZone(name: string): Promise<Outcome<void>> {
    return this.#zones.run(name, () => this.#delete(name));
  }

  async list(): Promise<Outcome<readonly string[]>> {
    // Without DNSSEC state, which PowerDNS would look up zone by zone.
    const reply = await callPowerdns(this.#options, "GET", "/zones?dnssec=false");
    if ("outcome" in reply) return reply;
    if (reply.status !== 200) return refusalOf(reply);
    const zones = zonesAnswer.safeParse(reply.json);
    if (!zones.success) return unknown("The DNS server's list of zones is not PowerDNS's own.");
    const { isOurs } = await this.#marks();
    const ours = zones.data.filter(({ account }) => isOurs(account));
    return done(ours.map(({ name }) => name.replace(/\.$/, "").toLowerCase()));
  }

  /** Returns the digests of active key-signing keys (https://doc.powerdns.com/authoritative/http-api/cryptokey.html). */
  async #signers(zone: string): Promise<Outcome<readonly DelegationSigner[]>> {
    const reply = await callPowerdns(this.#options, "GET", `${pathOf(zone)}/cryptokeys`);
    if ("outcome" in reply) return reply;
    if (reply.status !== 200) return refusalOf(reply);
    const keys = keysAnswer.safeParse(reply.json);
    if (!keys.success) return unknown(`The DNS server's keys of ${zone} are not in PowerDNS's words.`);
    const signing = keys.data.filter(({ active, published }) => active && published);
    return done(signing.flatMap(({ ds }) => ds.filter(({ digestType }) => digestType === sha256)));
  }

  /** Checks the requirements for zones; see `hostledger check providers`. */
  async check(): Promise<readonly ProviderFinding[]> {
    const { url, server, nameservers } = this.#options;
    const reply = await callPowerdns(this.#options, "GET", "");
    if ("outcome" in reply)
      return [wrong("message" in reply ? reply.message : "The DNS server gives no answer.")];
    if (reply.status !== 200) return [wrong(noSuchServer(server))];
    const about = serverAnswer.safeParse(reply.json);
    if (!about.success || about.data.daemon_type !== "authoritative")
      return [wrong(`What answers at ${url.host} is no PowerDNS Authoritative Server.`)];
    const zones = await this.#inquire("hostledger-check.invalid");
    return [
      right(`PowerDNS ${about.data.version} takes the API key.`),
      zones.outcome === "done" ? right("Its zones can be read.") : wrong(zones.message),
      nameservers.some((name) => name.endsWith(".example"))
        ? wrong("New zones would name nameservers of no use: set HOSTLEDGER_NAMESERVERS to your own.")
        : right(`New zones name ${nameservers.join(", ")}.`),
    ];
  }

  async #create(zone: Zone): Promise<Outcome<void>> {
    const { name, records } = zone;
    const { zoneKind, isSigned } = this.#options;
    const marks = await this.#marks();
    const document = {
      name: absolute(name),
      account: marks.own,
      // "Master" instead of "primary", because older versions of PowerDNS know only the former.
      kind: zoneKind === "primary" ? "Master" : "Native",
      soa_edit_api: "DEFAULT",
      nameservers: [],
      rrsets: [...this.#apexOf(name), ...rrsetsOf(name, records)],
      ...(isSigned ? { dnssec: true, api_rectify: true } : {}),
    };
    const create = (): Promise<PowerdnsReply | Outcome<never>> =>
      callPowerdns(this.#options, "POST", "/zones", document);
    let reply = await create();
    if ("outcome" in reply) return reply;
    if (reply.status === 409) {
      const held = await this.#zoneOf(name);
      if (held.outcome !== "done") return held;
      if (marks.isOfOthers(held.value?.account ?? "")) return foreign(name);
      const isWhole = held.value?.rrsets.some(({ type }) => type === "SOA") ?? false;
      if (isWhole) return this.#takeForDone(zone, held.value?.rrsets ?? []);
      // A zone without SOA remains from an interrupted creation; it is deleted and created again.
      const removed = await this.#delete(name);
      if (removed.outcome !== "done") return removed;
      reply = await create();
      if ("outcome" in reply) return reply;
    }
    return reply.status === 201 ? done(undefined) : refusalOf(reply);
  }

  #takeForDone({ name, records }: Zone, held: readonly PowerdnsRrset[]): Outcome<void> {
    return sameRecords(recordsOf(name, held), records)
      ? done(undefined)
      : refused("rejected", `The DNS server has a zone ${name} with other records.`);
  }

  async #inquire(name: string): Promise<Outcome<ZoneHolding>> {
    const held = await this.#zoneOf(name);
    if (held.outcome !== "done") return held;
    // A zone without SOA remains from an interrupted creation.
    if (held.value?.rrsets.some(({ type }) => type === "SOA") !== true) return done({ held: false });
    const { account, rrsets } = held.value;
    const { isOfOthers } = await this.#marks();
    return done({
      held: true,
      zone: { name, records: recordsOf(name, rrsets) },
      ...(isOfOthers(account) && { foreignOwner: `the account ${asLine(account, longestAccount, "")}` }),
    });
  }

  async #delete(name: string): Promise<Outcome<void>> {
    const objection = await this.#objectionTo(name);
    if (objection !== undefined) return objection;
    const reply = await callPowerdns(this.#options, "DELETE", pathOf(name));
    if ("outcome" in reply) return reply;
    if (reply.status === 204) return done(undefined);
    return reply.status === 404 ? this.#ifServerIsThere(undefined) : refusalOf(reply);
  }

  /** Returns a refusal if the zone is foreign or its owner unknown. */
  async #objectionTo(name: string): Promise<Outcome<never> | undefined> {
    const held = await this.#zoneOf(name, "?rrsets=false");
    if (held.outcome !== "done") return held;
    const { isOfOthers } = await this.#marks();
    return isOfOthers(held.value?.account ?? "") ? foreign(name) : undefined;
  }

  /** Reads a zone; undefined if missing. */
  async #zoneOf(name: string, query = ""): Promise<Outcome<z.output<typeof zoneAnswer> | undefined>> {
    const reply = await callPowerdns(this.#options, "GET", `${pathOf(name)}${query}`);
    if ("outcome" in reply) return reply;
    if (reply.status === 404) return this.#ifServerIsThere(undefined);
    if (reply.status !== 200) return refusalOf(reply);
    const answer = zoneAnswer.safeParse(reply.json);
    return answer.success
      ? done(answer.data)
      : unknown("The DNS server's answer is not a zone in PowerDNS's words.");
  }

  async #marks(): Promise<ZoneAccounts> {
    return zoneAccounts(this.#options.account, await this.#options.installation?.());
  }

  /** Returns the value if the API's server exists, because a wrong server name also answers 404. Checked once. */
  async #ifServerIsThere<Value>(value: Value): Promise<Outcome<Value>> {
    if (this.#isServerKnown) return done(value);
    const { server } = this.#options;
    const reply = await callPowerdns(this.#options, "GET", "");
    if ("outcome" in reply) return reply;
    if (reply.status !== 200) return refused("rejected", noSuchServer(server));
    this.#isServerKnown = true;
    return done(value);
  }

  /** Notifies secondaries. Failures are ignored, because PowerDNS also notifies by itself. */
  async #notify(zone: string): Promise<void> {
    if (this.#options.zoneKind === "primary")
      await callPowerdns(this.#options, "PUT", `${pathOf(zone)}/notify`);
  }

  #apexOf(zone: string): PowerdnsRrset[] {
    const { nameservers } = this.#options;
    const [primary = zone] = nameservers;
    const { hostmaster = `hostmaster.${primary.split(".").slice(1).join(".")}` } = this.#options;
    const set = (type: string, contents: readonly string[]): PowerdnsRrset => ({
      name: absolute(zone),
      type,
      ttl: apexTtl,
      records: contents.map((content) => ({ content, disabled: false })),
    });
    return [
      // PowerDNS sets the serial (SOA-EDIT-API): date plus a counter.
      set("SOA", [`${absolute(primary)} ${absolute(hostmaster)} 0 ${soaTimes}`]),
      set("NS", nameservers.map(absolute)),
    ];
  }
}

function foreign(zone: string): Outcome<never> {
  return refused("rejected", `The zone ${zone} belongs to somebody else at the DNS server.`);
}

function noSuchServer(server: string): string {
  return `PowerDNS at this address has no server "${server}".`;
}

function pathOf(zone: string): string {
  return `/zones/${encodeURIComponent(absolute(zone))}`;
}
