"use strict";

// Every text that comes from elsewhere is written as text; nothing here makes markup of it.

const KEY = "policy.token";
const byId = (id) => document.getElementById(id);
let session = { permissions: [], principal: null, capabilities: [], policies: [] };

// Characters that nobody sees could make a text look like another one.
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const seen = (text) => String(text).replace(UNSEEN, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key === "text") made.textContent = seen(value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function say(id, text, failed = false) {
  const place = byId(id);
  place.textContent = seen(text);
  place.className = failed ? "error" : "";
}

// `text` is JSON already.
async function call(method, path, text) {
  const headers = {};
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (text !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {
    method,
    headers,
    body: text,
    credentials: "omit",
    redirect: "error",
    cache: "no-store",
  });
  let value = null;
  try {
    value = await answer.json();
  } catch {
    throw new Error("the service gave no answer that can be read");
  }
  if (!answer.ok) throw new Error(value?.error?.message ?? "the service refused");
  return value;
}

function example(capability) {
  byId("action").value = JSON.stringify({ capability_id: capability, input: {} }, null, 2);
}

async function begin() {
  try {
    session = await call("GET", "/page/session");
  } catch (error) {
    session = { permissions: [], principal: null, capabilities: [], policies: [] };
    say("session", error.message, true);
    return;
  }
  say("session", `You are ${session.name}. You may: ${session.permissions.join(", ")}.`);
  byId("capability").replaceChildren(...session.capabilities.map((id) => element("option", { value: id, text: id })));
  byId("person").value = session.principal ? session.principal.id : byId("person").value;
  byId("person").readOnly = session.principal !== null;
  const served = session.policies.map((each) => each.text);
  if (!byId("policy").value && served.length === 1) byId("policy").value = served[0];
  if (!byId("action").value && session.capabilities.length) example(session.capabilities[0]);
}

function parsed(id, name) {
  let value;
  try {
    value = JSON.parse(byId(id).value);
  } catch (error) {
    byId(id).setAttribute("aria-invalid", "true");
    byId(id).focus();
    throw new Error(`${name} is not JSON: ${error.message}`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    byId(id).setAttribute("aria-invalid", "true");
    byId(id).focus();
    throw new Error(`${name} must be a JSON object`);
  }
  byId(id).removeAttribute("aria-invalid");
  return value;
}

// The service reads JSON more strictly than a browser does, so the texts go there as they were typed.
function request() {
  parsed("action", "the action");
  parsed("context", "the context");
  const policy = byId("pasted").checked ? byId("policy").value : null;
  return `{"policy":${JSON.stringify(policy)},"action":${byId("action").value},"context":${byId("context").value}}`;
}

function place(location) {
  const found = /^(.*):(\d+):(\d+)$/s.exec(location);
  return found ? { name: found[1], line: Number(found[2]) } : null;
}

const verdict = (rule) => (rule.matched === null ? "has no answer" : rule.matched ? "applies" : "does not apply");

function notes(rules) {
  const found = new Map();
  const add = (location, text, kind) => {
    const at = place(location);
    if (!at) return;
    const key = `${at.line} ${at.name}`;
    found.set(key, [...(found.get(key) ?? []), { text, kind }]);
  };
  for (const rule of rules.filter((each) => each.considered)) {
    const kind = rule.matched === null ? "unknown" : rule.matched ? "yes" : "no";
    add(rule.location, `${rule.kind} ${rule.id}: ${verdict(rule)} (${rule.why})`, kind);
    for (const condition of rule.conditions) {
      const value = condition.value ?? `no answer: ${condition.unevaluable}`;
      add(condition.location, `${condition.role} ${condition.text} is ${value}`, kind);
      for (const part of condition.trees.flat()) {
        if (part.depth && part.text !== part.value) {
          const known = part.value ?? `no answer: ${part.unevaluable}`;
          add(part.location, `${"  ".repeat(part.depth)}${part.text} is ${known}`, kind);
        }
      }
    }
  }
  return found;
}

function lines(source, found) {
  const list = element("ol", { class: "lines", "aria-label": `Policy ${source.name}` });
  source.text.split("\n").forEach((text, index) => {
    const told = found.get(`${index + 1} ${source.name}`) ?? [];
    const content = element("div", {}, element("p", { class: "text", text }));
    for (const note of told) content.append(element("span", { class: `told ${note.kind}`, text: note.text }));
    const number = element("span", { class: "number", text: String(index + 1) });
    list.append(element("li", { class: told.some((note) => note.kind === "yes") ? "applies" : "" }, number, content));
  });
  return list;
}

const listed = (items, none) =>
  items.length ? items.map((text) => element("li", { text })) : [element("li", { text: none })];

function show(answer) {
  const outcome = answer.decision ? answer.decision.outcome : "the policy does not load";
  byId("outcome").textContent = answer.decision ? `Decision: ${outcome}` : "The policy does not load";
  byId("outcome").className = answer.decision ? outcome : "deny";
  const reasons = answer.decision
    ? answer.decision.reasons.map((each) => `${each.effect}: ${each.message} (${each.code}) ${each.location ?? ""}`)
    : [];
  const findings = answer.diagnostics.map(
    (each) => `${each.location} ${each.severity}: ${each.message} (${each.code})${each.help ? `; ${each.help}` : ""}`,
  );
  byId("reasons").replaceChildren(...listed([...reasons, ...findings], "none"));
  const changes = answer.changes.map((each) => (each.location ? `${each.text} (${each.location})` : each.text));
  byId("changes").replaceChildren(...listed(changes, "nothing that the trace shows"));
  const found = notes(answer.rules);
  byId("trace").replaceChildren(
    ...answer.sources.flatMap((source) => [element("h5", { text: source.name }), lines(source, found)]),
  );
  byId("result").hidden = false;
  byId("outcome").focus();
}

async function decide() {
  byId("ask").disabled = true;
  say("decide-status", "Deciding…");
  try {
    const answer = await call("POST", "/page/explain", request());
    say("decide-status", "");
    show(answer);
  } catch (error) {
    byId("result").hidden = true;
    say("decide-status", error.message, true);
  } finally {
    byId("ask").disabled = false;
  }
}

async function vote(approval, decision, reason) {
  const body = { decision };
  if (reason) body.reason = reason;
  if (!session.principal) {
    const id = byId("person").value;
    if (!id) {
      byId("person").focus();
      throw new Error("say who you are first");
    }
    body.by = { id, kind: "human" };
  }
  return call("POST", `/v1/approvals/${encodeURIComponent(approval.handle)}/votes`, JSON.stringify(body));
}

function pending(approval, number) {
  const title = `${approval.capability_id} asked by ${approval.context?.requester?.id ?? "somebody"}`;
  const field = `reason-${number}`;
  const reason = element("input", { id: field, autocomplete: "off" });
  const heading = element("h3", { id: `pending-${number}`, text: title });
  const buttons = [
    ["approved", "Approve"],
    ["denied", "Deny"],
  ].map(([decision, name]) => {
    const button = element("button", { type: "button", text: name, "aria-describedby": heading.id });
    button.addEventListener("click", () => answered(approval, decision, reason.value, title, buttons));
    return button;
  });
  const needs = (approval.decision?.approvals ?? []).map((each) => `${each.id}: ${each.needs}, ${each.state}`);
  return element(
    "li",
    { class: "pending", "aria-labelledby": heading.id },
    heading,
    element("p", { text: `Opened ${approval.opened_at}, ends ${approval.expires_at}, votes: ${approval.votes.length}` }),
    element("ul", {}, ...listed(needs, "no requirement told")),
    element("h4", { text: "Action" }),
    element("pre", { text: JSON.stringify(approval.action, null, 2) }),
    element("details", {}, element("summary", { text: "Context" }), element("pre", { text: JSON.stringify(approval.context, null, 2) })),
    element("label", { for: field, text: "Your words (optional)" }),
    reason,
    ...buttons,
  );
}

async function answered(approval, decision, reason, title, buttons) {
  for (const button of buttons) button.disabled = true;
  try {
    const kept = await vote(approval, decision, reason);
    await list(`Your answer on ${title} is kept: ${decision}. The request is now ${kept.state}.`);
    byId("refresh").focus();
  } catch (error) {
    say("approvals-status", error.message, true);
    for (const button of buttons) button.disabled = false;
  }
}

async function list(said) {
  try {
    const { approvals } = await call("GET", "/v1/approvals");
    byId("approvals").replaceChildren(...approvals.map(pending));
    say("approvals-status", `${said ? `${said} ` : ""}Pending: ${approvals.length}.`);
  } catch (error) {
    byId("approvals").replaceChildren();
    say("approvals-status", said ? `${said} ${error.message}` : error.message, true);
  }
}

function onSubmit(id, act) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

onSubmit("access", () => {
  const typed = byId("token").value;
  byId("token").value = "";
  if (typed) sessionStorage.setItem(KEY, typed);
  begin();
});
byId("forget").addEventListener("click", () => {
  sessionStorage.removeItem(KEY);
  byId("approvals").replaceChildren();
  byId("result").hidden = true;
  byId("capability").replaceChildren();
  for (const id of ["policy", "person"]) byId(id).value = "";
  begin();
});
onSubmit("decide", decide);
onSubmit("voter", () => list(""));
byId("capability").addEventListener("change", () => example(byId("capability").value));
byId("policy").addEventListener("input", () => {
  byId("pasted").checked = true;
});
byId("context").value = JSON.stringify(
  {
    route: "chat",
    requester: { id: "user-1", kind: "human", person_id: "user-1" },
    operator: { id: "agent-1", kind: "agent" },
    subject: { id: "user-1", kind: "human", person_id: "user-1" },
    delegation: [],
  },
  null,
  2,
);
begin();
