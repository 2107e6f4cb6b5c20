/** The page of a browser after all redirections. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A minimal browser for signing in: cookies per origin, redirections, forms. */
export interface Browser {
  /** By origin, name and value. */
  readonly cookies: Map<string, Map<string, string>>;
  /** The `Set-Cookie` headers that came, as they were. */
  readonly setCookies: string[];
  /** Sends one request with the origin's cookies. */
  send(url: URL, init?: RequestInit): Promise<Response>;
  /** Follows redirections, until one would lead to an address that `isEnd` takes. */
  follow(url: URL, init?: RequestInit, isEnd?: (url: URL) => boolean): Promise<Page>;
  /** Fills in and sends the page's only form. */
  submit(page: Page, fields: Readonly<Record<string, string>>, isEnd?: (url: URL) => boolean): Promise<Page>;
}

const redirectionLimit = 20;

/** @param networks real addresses by origin, as a proxy would map them */
export function openBrowser(networks: ReadonlyMap<string, string>): Browser {
  const cookies = new Map<string, Map<string, string>>();
  const setCookies: string[] = [];
  const jarOf = (origin: string): Map<string, string> => {
    const jar = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, jar);
    return jar;
  };
  const browser: Browser = {
    cookies,
    setCookies,

    async send(url, init = {}) {
      const jar = jarOf(url.origin);
      const headers = new Headers(init.headers);
      headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
      const target = new URL(url.pathname + url.search, networks.get(url.origin) ?? url.origin);
      const response = await fetch(target, { ...init, headers, redirect: "manual" });
      for (const line of response.headers.getSetCookie()) {
        setCookies.push(line);
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },

    async follow(url, init, isEnd = () => false) {
      let [at, response] = [url, await browser.send(url, init)];
      for (let count = 0; count < redirectionLimit; count += 1) {
        const location = response.headers.get("location");
        if (location === null) break;
        at = new URL(location, at);
        if (isEnd(at)) return { url: at, status: response.status, text: "" };
        response = await browser.send(at);
      }
      return { url: at, status: response.status, text: await response.text() };
    },

    async submit(page, fields, isEnd) {
      const [, action = ""] = /<form[^>]* action="([^"]+)"/u.exec(page.text) ?? [];
      const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/gu)];
      const body = new URLSearchParams([
        ...hidden.map(([, name = "", value = ""]) => [name, value]),
        ...Object.entries(fields),
      ]);
      return browser.follow(new URL(action, page.url), { method: "POST", body }, isEnd);
    },
  };
  return browser;
}
