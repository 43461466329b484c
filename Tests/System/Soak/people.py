"""The users: at the button, at the console, and as owners."""

import asyncio
import contextlib
import json
import re

from clients import Gone, Typist
from configuration import PROOFS
from browser import Browser

# An app must have had the mark for 1 s when the button goes down.
ARMED = 1.05


class People:
    """The owners have fixed intentions. The user at the button answers at random."""

    async def attend(self):
        """Connects an owner at the start of each daemon."""
        while True:
            await self.world.gateway.ready.wait()
            with contextlib.suppress(Gone):
                self.owner, self.hand = await self.socket(None), await self.socket(None)
                try:
                    await self.owner.greet()
                    await self.hand.greet()
                    await self.owner.ask("SUB owner/prompt p")
                    await self.owner.ask("SUB owner/notification n")
                    await self.prepare()
                    # The session ended with its daemon.
                    self.worn += [self.session] if self.session else []
                    self.session = None
                    self.world.attended.set()
                    while True:
                        said = await self.owner.heard(lambda said: said.startswith("MSG owner/prompt"), 3600)
                        await self.answer(json.loads(said[said.index("{"):]))
                finally:
                    self.world.attended.clear()
                    self.owner.close()
                    self.hand.close()
            await asyncio.sleep(0.05)

    async def prepare(self):
        for app, kind in PROOFS.items():
            if kind != "certificate" and app not in self.proofs:
                await self.renew(app)
        if self.is_prepared:
            return
        for app, status in (("mist", "always"), ("veil", "always"), ("dory", "always"), ("guard", "always"),
                            ("warden", "whenInUse"), ("barred", "denied"), ("track", "denied"),
                            ("hook", "denied")):
            await self.owner.ask(f"SET {app} status {status}")
        # Two places contain the whole path of the receiver. No app may know the second one.
        for place in ("harbour 300", "secret 1000", self.pier()):
            for _ in range(20):
                if (reply := await self.owner.ask(f"PLACE ADD {place}")) and reply.startswith("+OK"):
                    break
                await self.pause(0.5, 1)
        await self.owner.ask("PLACE ALLOW haven harbour pier")
        self.is_prepared = True

    def pier(self):
        """A place whose border crosses the path of the receiver, so that the receiver enters and leaves it."""
        latitude, longitude = self.world.receiver.beside(self.random.randrange(3))
        return f"pier 100 {latitude:.6f} {longitude:.6f}"

    async def withdraw(self):
        """Withdraws names from the app with names, for some time."""
        order = self.random.choice(["DENY haven pier", "DENY haven harbour", "DENY haven", "DEL pier"])
        await self.owner.ask(f"PLACE {order}")
        await self.pause(1, 5)
        if order.startswith("DEL"):
            await self.owner.ask(f"PLACE ADD {self.pier()}")
        await self.owner.ask("PLACE ALLOW haven harbour pier")

    async def renew(self, app):
        """Creates a new key or token, which replaces the old one. If the reply is lost, the app has none until the
        next one."""
        kind = PROOFS[app]
        before = self.proofs.pop(app, None)
        reply = await self.owner.ask(f"KEY ADD {app}" + " token" * (kind == "token"))
        if found := re.search(rf" {kind}=(\S+)", reply or ""):
            self.proofs[app] = (kind, found.group(1))
        elif before and reply and reply.startswith("-ERR"):
            self.proofs[app] = before

    async def answer(self, prompt):
        """Answers a question that the button does not answer. A new question accepts no answer for one second."""
        if prompt["state"] != "open" or prompt["kind"] in ("confirm", "introduce"):
            return
        await self.pause(1.1, 3)
        words = f"{prompt['prompt']} {self.random.choice(prompt['choices'].split(','))}"
        if not (self.chance(0.5) and await self.say_on_page(f"answer {words}")):
            await self.owner.ask(f"ANSWER {words}")

    async def share(self):
        """Allows an output for some time, in which a press that no app waits for gives it a fix. An output that is always
        allowed would take the presses of the readers of sentences."""
        await self.world.attended.wait()
        async with self.sharing(self.random.choice(["track", "hook"])):
            await self.pause(4, 10)

    @contextlib.asynccontextmanager
    async def sharing(self, app):
        await self.owner.ask(f"SET {app} status whenInUse")
        try:
            yield
        finally:
            # The fixes that still wait are erased.
            await self.owner.ask(f"SET {app} status denied")

    async def decide(self):
        """Changes a right of an app as an owner, for some time or until the next change."""
        await self.world.attended.wait()
        app = self.random.choice(
            ["stream", "stream", "stream", "ferry", "cable", "blur", "guard", "key", "haven", "navi"])
        if app == "haven":
            return await self.withdraw()
        if app == "key":
            return await self.renew(self.random.choice(["ferry", "tug", "veil"]))
        if app == "guard":
            change, back = self.random.choice([
                ("status whenInUse", "status always"), ("status denied", "status always"),
                ("accuracy reduced", "accuracy full")])
            await self.owner.ask(f"SET guard {change}")
            await self.pause(1, 5)
            return await self.owner.ask(f"SET guard {back}")
        if app == "navi":
            # Its clients watch, so no press may open a question about it.
            await self.owner.ask("SET navi status denied")
            await self.pause(1, 15)
            return await self.owner.ask("RESET navi")
        ended = ["status always", "status always for=60", "status always for=60"] * (app == "stream")
        word = self.random.choice(["status always", "status denied"] + ended)
        if "for=" in word:
            # A right without an end cannot get an end.
            await self.owner.ask(f"SET {app} status notDetermined")
        await self.owner.ask(f"SET {app} {word}")
        if app != "stream":
            await self.pause(1, 5)
            await self.owner.ask(f"RESET {app}")

    # MARK: The owners' page

    async def visit_page(self):
        """Opens the page with a link, reads it, runs a command, and closes the session or leaves it open."""
        await self.world.attended.wait()
        reply = await self.owner.ask("PAGE")
        link = re.search(r"link=\S+#(\S+)", reply or "")
        if not link:
            return
        browser = Browser(self.transcript, self.world.page_port)
        status, session = await browser.ask("POST", "/open", token=link.group(1))
        self.worn.append(link.group(1))
        if status != 200:
            return
        self.session = session
        await browser.ask("GET", self.random.choice(["/", "/page.css", "/page.js", "/session.js", "/views.js"]))
        await browser.ask("POST", "/events", self.random.choice(["50", "20 30"]), session, seconds=self.random.uniform(0.5, 3))
        for _ in range(self.random.randrange(1, 4)):
            words = self.random.choice([
                "allow stream always", "allow stream while-using", "deny stream", "use stream", "reset blur",
                "answer 9999 once", "deny nobody", "key add vandal", "reload", "log", "", "fly"])
            await browser.ask("POST", "/verb", words, session)
            await browser.ask("POST", "/present", token=session)
        if self.chance(0.3):
            await browser.ask("POST", "/report", token=session)
        if self.chance(0.5):
            self.session = None
            await browser.ask("POST", "/leave", token=session)
            self.worn.append(session)

    async def say_on_page(self, words):
        """Whether the daemon executed a command on the page. False if no session is open."""
        if self.session is None:
            return False
        status, _ = await Browser(self.transcript, self.world.page_port).ask("POST", "/verb", words, self.session)
        return status == 200

    # MARK: At the button

    async def look(self):
        """Reads the lists as an owner."""
        await self.world.attended.wait()
        words = ["STATUS", "APPS", "PLACE LIST", "SESSIONS", "SKY", "COUNTS", "LOG", "METRICS", "VERIFY", "PROMPTS"]
        await self.owner.ask(self.random.choice(words))

    async def press(self, milliseconds=None):
        milliseconds = milliseconds or self.random.randrange(30, 400)
        await self.world.attended.wait()
        self.presses += 1
        number = self.presses
        self.transcript.add("press", number=number, milliseconds=milliseconds)
        try:
            reply = await self.hand.ask(f"PRESS ms={milliseconds}", 30)
        except Gone:
            return
        found = re.search(r" effect=(\S+) .*\breleased_ns=(\d+)", reply or "")
        if found:
            self.transcript.add("released", number=number, up=int(found.group(2)) / 1e9, effect=found.group(1))

    async def hold(self):
        await self.world.attended.wait()
        reply = await self.hand.ask("HOLD", 30)
        found = re.search(r"effect=(\S+)", reply or "")
        return found.group(1) if found else None

    async def type(self):
        """Types at the console, valid commands or random keys."""
        if not self.world.console.is_plugged:
            return
        typist = Typist(self.transcript, self.name("console"), self.world.console)
        try:
            typist.type(b"\r")
            for _ in range(self.random.randrange(2, 8)):
                typist.type(self.random.choice([
                    b"status\r", b"apps\r", b"log 5\r", b"help\r", b"stat\t\r", b"\x03", b"\x1b[A\r", b"show chart\r",
                    b"prompts\r",
                    self.random.randbytes(20).replace(b"\x04", b"\x05") + b"\x03"]))
                await self.pause(0.2, 0.8)
            typist.type(b"\x03quit\r")
            await self.pause(0.2, 0.5)
        finally:
            typist.close()

    async def read_mark(self):
        """Reads the status until the mark has stood for a second, as an attentive user does."""
        await self.world.attended.wait()
        mark, times = None, 0
        for _ in range(30):
            reply = await self.hand.ask("STATUS")
            found = re.search(r" next=(\S+)", reply or "")
            now = found and found.group(1)
            mark, times = (now, times + 1) if now == mark else (now, 0)
            if now and times >= 6:
                return
            await asyncio.sleep(0.2)

    async def person(self):
        """Presses for any waiting app, except during a rest. Most presses follow a look at the mark."""
        while True:
            await self.pause(0.3, 1.3)
            if not self.world.is_resting:
                with contextlib.suppress(Gone):
                    if self.chance(0.8):
                        await self.read_mark()
                    else:
                        await self.pause(0.3, 1.3)
                        await self.hand.ask("STATUS")
                    await self.press()

    async def introduce(self):
        """Introduces each app alone until a user has confirmed it, because confirmed apps are served before others."""
        await self.world.attended.wait()
        for app in ("track", "hook"):
            with contextlib.suppress(Gone):
                async with self.sharing(app):
                    for _ in range(3):
                        await asyncio.sleep(ARMED)
                        await self.press(60)
                        if app in self.introduced():
                            break
                    # The end would erase a fix that has arrived and is not acknowledged yet.
                    await self.pause(0.3, 0.5)
        apps = list(self.askers.items())
        self.random.shuffle(apps)
        for app, ask in apps:
            for _ in range(3):
                asking = asyncio.create_task(self.once(ask))
                while not asking.done():
                    await asyncio.sleep(ARMED)
                    await self.press(60)
                    # A question accepts an answer after one second.
                    await asyncio.wait([asking], timeout=1.1)
                if app in self.introduced():
                    break

    def introduced(self):
        """Returns the apps that have received a position or the name of a place."""
        return {record["app"] for record in self.transcript.records
                if record["kind"] == "heard" and record["app"] and re.search('"(lat|place)"', record["text"])}
