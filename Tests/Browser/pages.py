# SPDX-License-Identifier: Apache-2.0
"""Opens, checks and uses every page of `siding serve` in Chromium. Ends with 1 and the faults, if there are any."""
import os
import re
import shutil
import sys
import time
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from world import HOSTILE, World

OUTPUT = os.environ["SIDING_BROWSER_OUTPUT"]
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in (320, 1280)]
# What no page of ours may do, noted in the page itself.
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective + " " + event.blockedURI));
"""


class Proof:
    def __init__(self, world, browser):
        self.world, self.browser, self.axe = world, browser, Axe()
        self.faults, self.checked = [], 0

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")
        print(f"FAULT {where}: {what}", flush=True)

    def expect(self, condition, where, what):
        self.checked += 1
        if not condition:
            self.fault(where, what)

    def context(self, scheme="light", width=1280, **options):
        context = self.browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce", **options)
        context.add_init_script(WATCH)
        context.set_default_timeout(15_000)
        return context

    def page(self, context):
        page = context.new_page()
        page.on("dialog", lambda dialog: (self.fault(page.url, f"a dialog: {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: self.fault(page.url, f"an error: {error}"))
        page.on("console", lambda line: line.type == "error" and self.fault(page.url, f"the console: {line.text}"))
        page.on("request", lambda request: self.expect(
            request.url.startswith((self.world.url, "data:")), page.url, f"asks elsewhere: {request.url}"))
        return page

    # Every page

    def crawl(self):
        """The paths of all screens: the links that are reached from the overview, a dozen of each kind, and the hostile ones."""
        context = self.context()
        page = self.page(context)
        found, kinds = [], {}
        waiting = ["/"] + [f"/records/notes/hostile-{number}" for number in range(len(HOSTILE))]
        while waiting:
            path = waiting.pop(0)
            if path in found:
                continue
            found.append(path)
            answer = page.goto(self.world.url + path)
            self.expect(answer.status == 200, path, f"answers {answer.status}")
            for link in page.eval_on_selector_all("a[href]", "links => links.map(link => link.getAttribute('href'))"):
                self.expect(link.startswith(("/", "#")), path, f"leads elsewhere: {link}")
                kind = self.kind(link)
                if link.startswith("/") and link not in found + waiting and kinds.get(kind, 0) < 12:
                    kinds[kind] = kinds.get(kind, 0) + 1
                    waiting.append(link)
        context.close()
        return found

    @staticmethod
    def kind(path):
        parts = urllib.parse.urlsplit(path)
        names = sorted(name for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        return re.sub(r"/[^/]*$", "/*", parts.path) + "?" + "&".join(names)

    def look(self, paths):
        for scheme, width in LOOKS:
            context = self.context(scheme, width)
            page = self.page(context)
            for number, path in enumerate(paths):
                page.goto(self.world.url + path)
                self.examine(page, f"{path} ({scheme}, {width})")
                name = re.sub(r"[^a-z0-9]+", "-", path.lower())[:60].strip("-") or "overview"
                page.screenshot(path=f"{OUTPUT}/{scheme}-{width}/{number:03}-{name}.png", full_page=True)
            context.close()

    def examine(self, page, where):
        self.expect(page.evaluate("window.hacked") is None, where, "a record ran as script")
        self.expect(not page.evaluate("window.violations"), where, f"the policy was broken: {page.evaluate('window.violations')}")
        self.expect(page.locator("h1").count() == 1, where, "not one heading of the first level")
        self.expect(page.locator("style, iframe, [style], [onclick], base").count() == 0, where, "foreign elements")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.expect(wide <= 0, where, f"{wide} pixels wider than the screen")
        for violation in self.axe.run(page).response["violations"]:
            nodes = "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            self.fault(where, f"axe {violation['id']} ({violation['impact']}): {violation['help']}: {nodes}")
        self.checked += 1

    def use_phone(self, paths):
        """No page is wider than a phone, a page of 50 records is short there, and no key of up to 24 characters is broken."""
        context = self.context(width=360)
        page = self.page(context)
        for path in paths:
            page.goto(self.world.url + path)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.expect(wide <= 0, f"{path} (360)", f"{wide} pixels wider than the screen")
        context.close()
        for width in (390, 1280):
            context = self.context(width=width)
            page = self.page(context)
            page.goto(f"{self.world.url}/records/notes")
            where = f"/records/notes ({width})"
            count = page.locator("tbody tr").count()
            self.expect(count == 50, where, f"has {count} rows")
            height = page.evaluate("document.documentElement.scrollHeight")
            self.expect(height <= 6_000, where, f"is {height} pixels high")
            broken = page.eval_on_selector_all("tbody th code", "keys => keys.filter(key => key.innerText.length <= 24 && key.getClientRects().length > 1).length")
            self.expect(broken == 0, where, f"{broken} keys are broken")
            context.close()

    def sort_and_filter(self):
        """Links and a form, so it works without scripts."""
        context = self.context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{self.world.url}/records/notes")
        page.get_by_role("link", name="title", exact=True).click()
        page.get_by_role("link", name="title", exact=True).click()
        self.expect(page.locator("[aria-sort=descending]").count() == 1, "sort", "the column is not marked")
        page.get_by_label("Column", exact=True).select_option("title")
        page.get_by_label("Value", exact=True).select_option("contains")
        page.get_by_label("Text of the value").fill("note 9")
        page.get_by_role("button", name="Filter").click()
        count = page.locator("tbody tr").count()
        self.expect(count == 11, "filter", f"{count} rows, not those of 9 and 90 to 99")
        self.expect(page.locator("[aria-sort=descending]").count() == 1, "filter", "the order is lost")
        context.close()

    # Without scripts, by keyboard, live

    def read_without_scripts(self, paths):
        context = self.context(java_script_enabled=False)
        page = context.new_page()
        for path in paths:
            page.goto(self.world.url + path)
            self.expect(len(page.locator("main").inner_text()) > 20, path, "shows nothing without scripts")
        context.close()

    def use_keyboard(self):
        context = self.context()
        page = self.page(context)
        page.goto(self.world.url + "/queue")
        page.keyboard.press("Tab")
        self.expect(page.evaluate("document.activeElement.className") == "skip", "/queue", "the first stop is not the skip link")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        self.expect(page.evaluate("document.getElementById('main').contains(document.activeElement)"), "/queue", "skips to elsewhere")
        width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        self.expect(float(width.removesuffix("px")) >= 2, "/queue", f"the focus is not seen: {width}")
        context.close()

    def watch_changes(self):
        context = self.context()
        page = self.page(context)
        entry = self.world.entries["watched"]
        page.goto(f"{self.world.url}/queue/{entry}")
        page.get_by_role("button", name="Release").focus()
        shown = page.locator("footer").inner_text()
        # The service looks once a second, from when the page listens.
        time.sleep(2)
        self.world.siding("queue", "drop", self.world.entries["header"], "--yes", check=0)
        page.wait_for_function("shown => document.querySelector('footer').innerText !== shown", arg=shown)
        focused = page.evaluate("document.activeElement.textContent")
        self.expect(focused == "Release", "live", f"the focus went to '{focused[:50]}'")
        self.world.siding("queue", "release", entry, check=0)
        page.get_by_role("button", name="Release").wait_for(state="detached")
        self.examine(page, "live")
        # Not under the hands of a person.
        page.goto(f"{self.world.url}/records/notes")
        page.get_by_label("Words").fill("half a wor")
        self.world.siding("queue", "hold", self.world.entries["conflict"])
        self.world.siding("sync", "notes")
        time.sleep(4)
        self.expect(page.get_by_label("Words").input_value() == "half a wor", "live", "a form was replaced while it was filled in")
        context.close()

    # Actions

    def act(self):
        context = self.context()
        self.acting = self.page(context)
        self.do("held", ["Try now"], None)
        self.do("second", ["Hold"], "parked")
        self.do("first", ["Release"], None)
        self.do("rejected", ["Try now"], None)
        self.do("rejected", ["Drop…", "Drop"], "dropped")
        self.do("conflict", ["Send mine…", "Do nothing"], "parked", hasNotice=False)
        self.do("theirs", ["Keep theirs…", "Keep theirs"], "dropped")
        self.do("mine", ["Send mine…", "Send mine"], None)
        self.do("merge", ["Merge…", "Merge"], "dropped")
        self.do("uncertain", ["It has arrived…", "It has arrived"], "done")
        self.do("conflict", ["Drop…", "Drop"], "dropped")
        before = self.world.quarantined()
        self.press(f"/quarantine/{before[0]['id']}", ["Check again"], True)
        self.press(f"/quarantine/{before[1]['id']}", ["Drop…", "Drop"], True)
        self.press("/records/notes", ["Sync now"], True)
        self.expect(len(self.world.quarantined()) == len(before) - 1, "quarantine", "nothing was dropped")
        context.close()

    def act_on_several(self):
        context = self.context()
        self.acting = self.page(context)
        self.press("/queue?reason=held", ["Drop…", "Drop"], True)
        for name in ("several", "severals"):
            found = self.world.entry(name)["state"]
            self.expect(found == "dropped", name, f"is {found} after it was dropped with others")
        context.close()

    def do(self, name, buttons, state, hasNotice=True):
        self.press(f"/queue/{self.world.entries[name]}", buttons, hasNotice)
        if state:
            found = self.world.entry(name)["state"]
            self.expect(found == state, name, f"is {found} after {buttons[-1]}, not {state}")

    def press(self, path, buttons, hasNotice):
        page = self.acting
        page.goto(self.world.url + path)
        for number, text in enumerate(buttons):
            control = page.locator("main").get_by_role("button", name=text, exact=True).or_(
                page.locator("main").get_by_role("link", name=text, exact=True))
            self.expect(control.count() == 1, path, f"has {control.count()} controls '{text}'")
            if control.count() != 1:
                return
            control.click()
            page.wait_for_load_state()
            name = re.sub(r"[^a-z0-9]+", "-", f"{path} {number} {text}".lower()).strip("-")
            self.examine(page, f"{path} after {text}")
            page.screenshot(path=f"{OUTPUT}/actions/{name}.png", full_page=True)
        notice = page.locator("[role=status]")
        self.expect(notice.count() == int(hasNotice), path, "says not what was done")
        print(f"  {path} {buttons}: {notice.inner_text() if notice.count() else '-'}", flush=True)

    def search(self):
        context = self.context()
        page = self.page(context)
        for number, text in enumerate(HOSTILE):
            page.goto(f"{self.world.url}/records/notes?" + urllib.parse.urlencode({"q": text[:2_000].replace(chr(0), "")}))
            self.expect(page.evaluate("window.hacked") is None, f"search {number}", "the words ran as script")
        page.goto(f"{self.world.url}/records/notes")
        page.get_by_label("Words").fill("number 77")
        page.get_by_role("button", name="Search").click()
        page.locator("mark").first.wait_for()
        self.examine(page, "search")
        page.screenshot(path=f"{OUTPUT}/actions/search.png", full_page=True)
        context.close()


def main():
    shutil.rmtree(OUTPUT, ignore_errors=True)
    world = World()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"] if os.geteuid() == 0 else [])
            proof = Proof(world, browser)
            paths = proof.crawl()
            print(f"{len(paths)} pages", flush=True)
            proof.look(paths)
            proof.read_without_scripts(paths)
            proof.use_phone(paths)
            proof.sort_and_filter()
            proof.search()
            proof.use_keyboard()
            proof.act()
            proof.watch_changes()
            proof.act_on_several()
            browser.close()
    finally:
        world.close()
    print(f"{proof.checked} checks, {len(proof.faults)} faults; the screenshots are in {OUTPUT}")
    sys.exit(1 if proof.faults else 0)


main()
