import { anyText } from "@hostledger/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { namespaces } from "./namespaces.ts";
import { buildXml, childOf, childrenOf, descendantOf, element, parseXml, XmlError } from "./xml.ts";

const { epp, domain } = namespaces;

describe("the XML of EPP", () => {
  it("is read by namespaces, with any prefixes", () => {
    const xml = `<?xml version="1.0"?><!-- from a server --><e:epp xmlns:e="${epp}"><e:response>
      <check xmlns="${domain}"><name lang="de"> a &amp; b&#x20;&lt;c&#62; </name><name><![CDATA[<d>]]></name></check></e:response></e:epp>`;
    const response = descendantOf(parseXml(xml), epp, "response");
    const check = response && childOf(response, domain, "check");
    const names = check && childrenOf(check, domain, "name");
    expect(names?.map(({ text }) => text)).toEqual(["a & b <c>", "<d>"]);
    expect(names?.[0]?.attributes).toEqual({ lang: "de" });
    expect(check && childOf(check, epp, "name")).toBeUndefined();
    expect(descendantOf(parseXml(xml), epp, "response", "check", "name")).toBeUndefined();
  });

  it("is written with the prefixes of the RFCs, each namespace declared at its first use", () => {
    const check = element(domain, "check", [
      undefined,
      element(domain, "name", "a<b>&\"c'", { hosts: "all" }),
    ]);
    expect(buildXml(element(epp, "epp", [element(epp, "check", [check])]))).toBe(
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<epp xmlns="${epp}"><check>` +
        `<domain:check xmlns:domain="${domain}"><domain:name hosts="all">a&lt;b&gt;&amp;&quot;c&apos;</domain:name></domain:check></check></epp>`,
    );
  });

  it("preserves every text in both directions", () => {
    const texts = anyText().map((text) => text.trim());
    fc.assert(
      fc.property(texts, (text) => {
        const said = element(epp, "epp", [element(domain, "name", text), element("urn:other", "x", [])]);
        let xml: string;
        try {
          xml = buildXml(said);
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
          return;
        }
        expect(parseXml(xml)).toEqual(said);
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["no XML", "HTTP/1.1 400 Bad Request"],
    ["an element that does not end", "<epp><a></epp>"],
    ["two roots", "<a/><b/>"],
    ["a prefix that nothing declares", "<x:epp/>"],
    ["elements too deep", "<a>".repeat(40) + "</a>".repeat(40)],
    ["more elements than anybody sends", `<a>${"<b/>".repeat(20_000)}</a>`],
    ["text beside its root", "<a/>b"],
    ["an attribute twice", '<a b="1" b="2"/>'],
    ["an entity that nothing declares", "<a>&foo;</a>"],
    [
      "an entity bomb",
      '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><epp><msg>&b;&b;&b;</msg></epp>',
    ],
    ["a foreign entity", '<!doctype epp [<!ENTITY x SYSTEM "file:///etc/passwd">]><epp>&x;</epp>'],
  ])("is refused when it is %s", (_, xml) => {
    expect(() => parseXml(xml)).toThrow(XmlError);
  });

  it("refuses characters that XML does not allow, without showing the text", () => {
    expect(() => buildXml(element(epp, "pw", "secret\u0000"))).toThrow(
      new XmlError("The text of pw contains a character that XML does not allow."),
    );
  });
});
