import Foundation
import Testing

/// The tests of the page in a browser. One Chromium serves all of them, because its start takes seconds.
@Suite struct PageBrowserTests {
  @Test func `a link opens the page once, and every function works with keyboard, dark mode and screen reader`()
    async throws
  {
    try await Daemon.withPage("gateway = \"boat-7\"") { daemon, peer in
      let browser = try await Browser()
      let link = try await daemon.pageLink().address
      try await browser.open(link)
      try await browser.wait(for: "Connected", in: "connection")
      #expect(try await browser.text("location.href") == "\(peer.origin)/", "the token is out of the address")
      #expect(try await browser.holds("document.cookie === '' && localStorage.length === 0"))
      try await browser.wait(for: "boat-7 on board simulated", in: "state")
      try await usedUp(link, browser)
      try await question(daemon, browser)
      try await permission(daemon, browser)
      try await duration(daemon, browser)
      try await logAndReport(daemon, browser)
      try await legibility(browser)
      try await reflow(daemon, browser)
      try await names(browser)
      try await lockAndLeave(daemon, browser)
      #expect(try await browser.complaints.filter { !$0.contains("401 (Unauthorized)") } == [])
      try await browser.close()
    }
  }

  private func usedUp(_ link: String, _ browser: Browser) async throws {
    try await browser.openTab(link)
    try await browser.wait(for: "This link is invalid or has expired.", in: "notice")
    #expect(try await browser.holds("document.getElementById('content').hidden"))
    try await browser.back()
    // The session belongs to this tab and survives a reload.
    try await browser.run("location.reload()")
    try await browser.wait(for: "Connected", in: "connection")
  }

  /// Checks that a question appears by itself, leaves the focus unchanged and is answered with keys.
  private func question(_ daemon: Daemon, _ browser: Browser) async throws {
    try await browser.wait(for: "the apps", "document.querySelectorAll('#apps > li').length >= 3")
    try await browser.tab(to: "combobox", "Entries")
    let app = try await Peer.connected(daemon)
    _ = try await app.reply(to: "SUB authorization mine")
    _ = try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn <b>of shallows</b>")
    try await browser.wait(for: "Share this location with peer?", in: "questions")
    try await browser.wait(for: "peer says: “To warn <b>of shallows</b>”", in: "questions")
    #expect(
      try await browser.text("document.getElementById('alert').textContent").hasPrefix("Share this location with peer?")
    )
    #expect(try await browser.focused?.name == "Entries")
    try await browser.wait(for: "time to read", "!document.querySelector('.question [aria-disabled]')")
    try await browser.run("document.getElementById('main').focus()")
    try await browser.tab(to: "radio", "precise")
    try await browser.press("Arrow_Down")
    try await browser.tab(to: "button", "While using")
    try await browser.press("Enter")
    _ = try await app.next { $0.contains(#""status":"whenInUse","accuracy":"reduced""#) }
    // The result stays in the card of the question.
    try await browser.wait(for: "peer: While using, approximate", in: "questions")
    try await browser.wait(for: "no choices", "!document.querySelector('.question button').checkVisibility()")
    try await browser.wait(for: "No question is open.", in: "content")
    #expect(try await browser.focused?.name == "Questions", "whoever answered is brought to the heading")
    try await waiting(daemon, browser)
    // A question that another owner answers is announced.
    _ = try await app.reply(to: "AUTHORIZE full-accuracy purpose=Once")
    try await browser.wait(for: "the next question", "document.querySelector('.question')")
    #expect(try await daemon.onefix("answer", "2", "keep").end == .exit(0))
    try await browser.wait(for: "peer: answered by another owner", in: "news")
  }

  /// Checks that an app for which the next press is has a card like a question, until it no longer waits.
  private func waiting(_ daemon: Daemon, _ browser: Browser) async throws {
    let app = try await Peer.connected(daemon, app: "other")
    _ = try await app.reply(to: "REQ once purpose=To find fuel")
    try await browser.wait(for: "other waits: press the button", in: "questions")
    try await browser.wait(for: "other says: “To find fuel”", in: "questions")
    #expect(try await browser.holds("document.querySelector('.question.waits .light svg .lane')"))
    try await browser.wait(for: "gets the next press", in: "apps")
    _ = try await app.reply(to: "CANCEL")
    try await browser.wait(for: "the end of the card", "!document.querySelector('.question.waits')")
  }

  private func permission(_ daemon: Daemon, _ browser: Browser) async throws {
    try await browser.run("document.querySelector('#app-peer').closest('summary').focus()")
    try await browser.press("Enter")
    try await browser.tab(to: "combobox", "Location")
    let location = try #require(try await browser.focused)
    #expect(location.role == "combobox" && location.name == "Location")
    try await browser.press("Home")
    // Other events do not change this.
    #expect(try await daemon.onefix("use", "peer").end == .exit(0))
    try await browser.wait(for: "in use", in: "apps")
    #expect(try await browser.text("document.activeElement.value") == "never")
    try await browser.tab(to: "button", "Apply")
    try await browser.press("Enter")
    try await browser.wait(for: "peer: Never", in: "apps")
    try await browser.wait(
      for: "the end of the earlier result", "document.getElementById('questions').children.length === 0")
    let shown = try await daemon.onefix("show", "peer", "--json")
    #expect(shown.output.joined().contains(#""status":"denied""#))
    #expect(try await browser.focused?.name == "Apply", "the focus stays")
    // A change by another owner is shown.
    #expect(try await daemon.onefix("allow", "other", "always").end == .exit(0))
    try await browser.wait(
      for: "the other's permission",
      "document.querySelector('#app-other').closest('li').querySelector('select').value === 'always'")
  }

  /// Checks that an owner allows an app for a time, with keys.
  private func duration(_ daemon: Daemon, _ browser: Browser) async throws {
    // A right without an end gets no end.
    #expect(try await daemon.onefix("reset", "other").end == .exit(0))
    try await browser.wait(
      for: "the other's reset",
      "document.querySelector('#app-other').closest('li').querySelector('select').value === 'ask-next-time'")
    try await browser.run("document.querySelector('#app-other').closest('summary').focus()")
    try await browser.press("Enter")
    try await browser.tab(to: "combobox", "Location")
    try await browser.press("End")
    try await browser.tab(to: "combobox", "Duration")
    try await browser.press("Arrow_Down", "Arrow_Down")
    #expect(try await browser.text("document.activeElement.value") == "2h")
    try await browser.tab(to: "button", "Apply")
    try await browser.press("Enter")
    try await browser.wait(for: "Always until", in: "apps")
    let shown = try await daemon.onefix("show", "other", "--json").output.joined()
    let end = try #require(shown.firstMatch(of: /"until":"([^"]+)"/)).1
    let format = ISO8601DateFormatter()
    format.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let rest = try #require(format.date(from: String(end))).timeIntervalSinceNow
    #expect(shown.contains(#""shown":"always""#) && rest > 3600 && rest <= 7200, "\(shown)")
  }

  private func logAndReport(_ daemon: Daemon, _ browser: Browser) async throws {
    let rows = "document.querySelectorAll('#log > tr').length"
    let before = try await browser.run("return \(rows)") as? Int ?? 0
    _ = try await daemon.fix()
    try await browser.wait(for: "a longer log", "\(rows) > \(before)")
    try await browser.wait(for: "Last press · ", in: "last-press")
    #expect(try await browser.holds("!document.getElementById('state').innerText.includes('Last press')"))
    try await browser.wait(for: "one fix by a press, precise", in: "log")
    try await browser.tab(to: "button", "Show the report")
    try await browser.press("Enter")
    try await browser.wait(for: "Location requests to boat-7", in: "report")
    #expect(try await browser.holds("document.querySelector('#report svg') && document.querySelector('#report table')"))
    #expect(try await browser.focused?.role == "region")
  }

  /// Checks the contrast of text and background. (WCAG 2.2, 1.4.3)
  private func legibility(_ browser: Browser) async throws {
    let script = """
      const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
      const luminance = (colour) => parts(colour).slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
      const isClear = (colour) => parts(colour)[3] === 0;
      const behind = (element) => {
        for (let each = element; each; each = each.parentElement) {
          const colour = getComputedStyle(each).backgroundColor;
          if (!isClear(colour)) return colour;
        }
        return 'rgb(255, 255, 255)';
      };
      const found = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest('svg, script, template')) continue;
        const [front, back] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
        const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        if (ratio < 4.5) found.push(texts.currentNode.data.trim() + ' ' + ratio);
      }
      return found;
      """
    var papers: [String] = []
    for scheme in ["light", "dark"] {
      try await browser.prefer(scheme)
      #expect(try await browser.run(script) as? [String] == [], "\(scheme)")
      papers.append(try await browser.text("getComputedStyle(document.body).backgroundColor"))
    }
    #expect(papers == ["rgb(252, 252, 251)", "rgb(25, 26, 27)"])
  }

  /// Checks that nothing is cut off and the page does not scroll horizontally in a narrow window or with large text.
  /// Tables and pictures have their own scroll bars. (1.4.10)
  private func reflow(_ daemon: Daemon, _ browser: Browser) async throws {
    let app = try await Peer.connected(daemon, app: "navigation-of-the-wide-ferry")
    _ = try await app.reply(to: "AUTHORIZE when-in-use purpose=\(String(repeating: "Untiefenwarnung", count: 5))")
    try await browser.wait(for: "the question", "document.querySelector('.question input')")
    let script = """
      return [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
        && !each.closest('.wide > *, .unseen, .skip, svg')
        && (each.getBoundingClientRect().right > innerWidth + 0.5 || each.getBoundingClientRect().left < -0.5
          || !each.matches('.wide') && getComputedStyle(each).overflowX !== 'visible'
            && each.scrollWidth > each.clientWidth + 1))
        .map((each) => each.tagName + ' ' + each.id + ' ' + each.getBoundingClientRect().right);
      """
    for width in [320, 1280] {
      try await browser.narrow(to: width)
      #expect(try await browser.holds("innerWidth === \(width)"))
      #expect(try await browser.run(script) as? [String] == [], "\(width)")
      #expect(try await browser.holds("document.documentElement.scrollWidth <= innerWidth"), "\(width)")
      if width == 320 {
        let tables = "[...document.querySelectorAll('.wide > table')].map((each) => each.parentElement)"
        #expect(try await browser.holds("\(tables).length > 2"))
        let wider = "\(tables).filter((each) => each.scrollWidth > each.clientWidth)"
        let cut = try await browser.run("return \(wider).map((each) => each.innerHTML)") as? [String]
        #expect(cut == [], "\(cut ?? [])")
      }
      for scheme in ["light", "dark"] {
        try await browser.prefer(scheme)
        try await browser.shoot("page-\(width)-\(scheme)")
      }
    }
    let prompts = try await daemon.onefix("prompts", "--json").output.joined()
    let number = try questionNumber(prompts)
    #expect(try await daemon.onefix("answer", String(number), "no").end == .exit(0))
    try await browser.wait(for: "No question is open.", in: "content")
  }

  /// Checks the names that a screen reader presents.
  private func names(_ browser: Browser) async throws {
    try await browser.run("document.querySelector('#app-other').closest('details').open = true")
    let tree = try await browser.tree
    let operated: Set = ["button", "combobox", "radio", "link", "region", "form", "article", "textbox", "checkbox"]
    for node in tree where operated.contains(node.role) { #expect(!node.name.isEmpty, "\(node)") }
    let roles = Set(tree.map(\.role))
    for role in ["banner", "main", "heading", "status", "alert", "table", "columnheader", "form"] {
      #expect(roles.contains(role), "\(role)")
    }
    #expect(tree.contains { $0.role == "form" && $0.name == "other" }, "an app's controls have its name")
    let levels = tree.filter { $0.role == "heading" }.compactMap { $0.properties["level"] as? Int }
    #expect(levels.first == 1 && zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(levels)")
    #expect(try await browser.text("document.documentElement.lang") == "en")
    #expect(
      try await browser.holds(
        "new Set([...document.querySelectorAll('[id]')].map((each) => each.id)).size === "
          + "document.querySelectorAll('[id]').length"))
    // The first key skips to the content.
    try await browser.run("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)")
    try await browser.run(
      "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
    try await browser.tab(to: "link", "Skip to the content")
    #expect(try await browser.holds("document.activeElement.getBoundingClientRect().top >= 0"))
  }

  private func lockAndLeave(_ daemon: Daemon, _ browser: Browser) async throws {
    let session = try await browser.text("sessionStorage.getItem('onefix-session')")
    try await browser.tab(to: "button", "Lock now")
    try await browser.press("Space")
    try await browser.wait(for: "locked; hold the button to unlock", in: "state")
    #expect(try await daemon.status()["locked"] == "true")
    #expect(try await browser.focused?.name == "Status")
    try await browser.wait(for: "Locked: nothing is shared until the button is held.", in: "locked")
    try await browser.run("scrollTo(0, 0); document.getElementById('connection').tabIndex = -1")
    try await browser.run("document.getElementById('connection').focus()")
    try await browser.tab(to: "button", "Leave")
    try await browser.press("Enter")
    try await browser.wait(for: "To open this page, run “onefix page”", in: "notice")
    #expect(
      try await browser.holds("sessionStorage.length === 0 && !document.getElementById('content').checkVisibility()"))
    let peer = try PageClient(daemon)
    _ = try await eventually("the end of the session") {
      try await peer.ask("/present", as: session).status == 401 ? true : nil
    }
  }
}
