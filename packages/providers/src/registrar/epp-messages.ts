import { longestRegistryWords, type RegistryMessageSubject } from "@hostledger/core";

import {
  domainElements,
  namespaces,
  pollAcknowledge,
  pollRequest,
  type Response,
  type XmlElement,
} from "../epp/index.ts";
import { done, unknown, type Outcome } from "../outcome.ts";
import type { EppDomains } from "./epp-domains.ts";
import { outcomeOf } from "./epp-outcomes.ts";
import { longestMessageId, type RegistryMessage } from "./registrar.port.ts";

const { contact, domain, host } = namespaces;

const otherObjects: ReadonlySet<string> = new Set([contact, host]);

/** Maximum length of a name (RFC 1035 §2.3.4). */
const longestName = 253;

/** Our poll queue at a registry (RFC 5730 §2.9.2.3). */
export class EppMessages {
  readonly #domains: EppDomains;
  readonly #registrar: string;

  /** @param registrar name of our registrar at this registry */
  constructor(domains: EppDomains, registrar: string) {
    this.#domains = domains;
    this.#registrar = registrar;
  }

  /** Returns the first message, or an empty list. */
  async first(): Promise<Outcome<readonly RegistryMessage[]>> {
    const answer = await this.#domains.ask(pollRequest);
    if (answer.kind !== "carried-out") return outcomeOf(answer);
    const { code, messages } = answer.response;
    // 1300: no message. Other answers contain the queue's count too.
    if (code !== 1301) return done([]);
    const id = messages?.id ?? "";
    if (id === "" || id.length > longestMessageId)
      return unknown("The registry's message has no id, so it cannot be acknowledged.");
    const words = (messages?.text ?? "").slice(0, longestRegistryWords);
    return done([{ registrar: this.#registrar, id, words, ...this.#subjectOf(answer.response) }]);
  }

  async acknowledge(id: string): Promise<Outcome<void>> {
    const answer = await this.#domains.ask(pollAcknowledge(id));
    // 2303: already removed.
    return answer.kind === "carried-out" || answer.code === 2303 ? done(undefined) : outcomeOf(answer);
  }

  #subjectOf({ data }: Response): Pick<RegistryMessage, "about" | "name"> {
    const name = data === undefined ? undefined : nameIn(data);
    if (data === undefined || name === undefined) return { about: "other", name: undefined };
    if (data.namespace !== domain) return { about: "name", name };
    switch (data.name) {
      case "trnData":
        return { about: this.#transfer(data), name };
      case "panData":
        return { about: "order", name };
      default:
        return { about: "name", name };
    }
  }

  /** Determines the subject of a transfer message by its registrars (RFC 5731 §3.1.3, RFC 5730 §2.9.3.4). */
  #transfer(data: XmlElement): RegistryMessageSubject {
    const { gaining, losing, status } = domainElements.trnData.read(data);
    if (gaining === this.#domains.clientId) return "transfer-to-us";
    if (losing !== this.#domains.clientId) return "name";
    switch (status) {
      case "pending":
        return "transfer-requested";
      case "clientApproved":
      case "serverApproved":
        return "transferred-away";
      case "clientRejected":
      case "clientCancelled":
      case "serverCancelled":
        return "transfer-kept";
      default:
        return "name";
    }
  }
}

/** Returns the domain in a message; extensions use the domain object's form (RFC 3915 §4.2.1 and registries' own). */
function nameIn(data: XmlElement): string | undefined {
  if (otherObjects.has(data.namespace)) return undefined;
  const name = data.children.find((child) => child.name === "name")?.text.toLowerCase();
  return name === undefined || name === "" || name.length > longestName ? undefined : name;
}
