import { registerName } from "./shop.ts";
import type { RestAnswer } from "./rest-client.ts";
import type { Customer } from "./staff-client.ts";

/** A path whose GET has an ETag, and the n-th of several different writes to it. */
export interface ConditionalWrite {
  readonly name: string;
  readonly path: string;
  readonly write: (
    client: Customer,
    headers: Readonly<Record<string, string>>,
    n: number,
  ) => Promise<RestAnswer>;
}

type Body = (n: number) => object;

/** Returns one write for each path with conditions. @param provision creates a server of the owner. */
export async function conditionalWrites(
  owner: Customer,
  provision: () => Promise<number>,
): Promise<readonly ConditionalWrite[]> {
  const domain = `/domains/${String(await registerName(owner, `conditional-${String(Date.now())}.com`))}`;
  await owner.put(`${domain}/settings`, { auto_renew: true });
  const firewall = `/servers/${String(await provision())}/firewall`;
  const put = (name: string, path: string, body: Body): ConditionalWrite => ({
    name,
    path,
    write: (client, headers, n) => client.put(path, body(n), headers),
  });
  return [
    put("a record set", `${domain}/dns/rrsets/www/A`, (n) => ({
      records: [{ value: `192.0.2.${String(n)}` }],
    })),
    put("the account", "/account", (n) => ({ city: `City ${String(n)}` })),
    put("the notices", "/account/notices", (n) => ({ balance_low_below: `${String(n)}.00` })),
    {
      name: "a firewall",
      path: firewall,
      write: (client, headers, n) =>
        client.post(
          firewall,
          { action: "ACCEPT", type: "in", proto: "tcp", dport: String(8_000 + n) },
          headers,
        ),
    },
    {
      name: "a domain",
      path: domain,
      write: (client, headers) => client.send(domain, { method: "DELETE", headers }),
    },
  ];
}

/** Returns the present ETag of a path. */
export async function tagAt(client: Customer, path: string): Promise<string> {
  const { headers } = await client.get(path);
  return headers.get("etag") ?? "none";
}

/** Returns the number of successes; all other answers must be 412. */
export function winners(answers: readonly RestAnswer[]): number {
  const lost = answers.filter(({ status }) => status >= 300);
  const others = lost.filter(({ status }) => status !== 412);
  if (others.length > 0) throw new Error(`a writer was answered ${JSON.stringify(others)}`);
  return answers.length - lost.length;
}
