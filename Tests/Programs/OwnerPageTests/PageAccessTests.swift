import Base
import Features
import Testing

private func token(_ byte: UInt8) -> PageToken { PageToken([UInt8](repeating: byte, count: 32)) }

private func at(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds * 1e9)) }

/// A reference to a `PageAccess`, which expectations can change.
private final class Access {
  private var access = PageAccess()

  func addLink(_ token: PageToken, at now: MonotonicInstant) { access.addLink(token, at: now) }

  func open(_ link: PageToken, as token: PageToken, at now: MonotonicInstant) -> Bool {
    access.open(link, as: token, at: now)
  }

  func validate(_ token: PageToken, isUserAction: Bool, at now: MonotonicInstant) -> Bool {
    access.validate(token, isUserAction: isUserAction, at: now)
  }

  func end(_ token: PageToken) { access.end(token) }
}

@Suite struct PageAccessTests {
  @Test func `only a link opens a session, and only once`() {
    let access = Access()
    #expect(!access.open(token(1), as: token(11), at: at(0)))
    access.addLink(token(1), at: at(0))
    #expect(!access.open(token(2), as: token(12), at: at(1)))
    #expect(!access.validate(token(1), isUserAction: true, at: at(1)), "a link is no session")
    #expect(access.open(token(1), as: token(11), at: at(2)))
    #expect(!access.open(token(1), as: token(12), at: at(2)), "it is used up")
    #expect(!access.open(token(11), as: token(12), at: at(2)), "a session is no link")
    #expect(access.validate(token(11), isUserAction: true, at: at(3)))
    #expect(!access.validate(token(12), isUserAction: true, at: at(3)))
  }

  @Test(arguments: [(119.9, true), (120, false), (500, false)])
  func `a link is valid for two minutes`(after seconds: Double, isGood: Bool) {
    let access = Access()
    access.addLink(token(1), at: at(0))
    #expect(access.open(token(1), as: token(11), at: at(seconds)) == isGood)
  }

  @Test func `a session ends after half an hour without a user action, and events are not user actions`() {
    let access = Access()
    access.addLink(token(1), at: at(0))
    #expect(access.open(token(1), as: token(11), at: at(0)))
    #expect(access.validate(token(11), isUserAction: true, at: at(1799)))
    for second in stride(from: 1800.0, to: 3598, by: 100) {
      #expect(access.validate(token(11), isUserAction: false, at: at(second)))
    }
    #expect(!access.validate(token(11), isUserAction: false, at: at(1799 + 1800)))
    #expect(!access.validate(token(11), isUserAction: true, at: at(1799 + 1800)), "what has ended does not begin again")
  }

  @Test func `a session ends after twelve hours in any case`() {
    let access = Access()
    access.addLink(token(1), at: at(0))
    #expect(access.open(token(1), as: token(11), at: at(0)))
    // The user is never inactive for long, also not before the end.
    for second in stride(from: 0.0, to: 12 * 3600, by: 600) {
      #expect(access.validate(token(11), isUserAction: true, at: at(second)))
    }
    #expect(access.validate(token(11), isUserAction: true, at: at(12 * 3600 - 1)))
    #expect(!access.validate(token(11), isUserAction: true, at: at(12 * 3600)))
  }

  @Test func `the four latest links are valid`() {
    let access = Access()
    for byte in 1...5 { access.addLink(token(UInt8(byte)), at: at(Double(byte))) }
    #expect(!access.open(token(1), as: token(11), at: at(6)))
    for byte in 2...5 { #expect(access.open(token(UInt8(byte)), as: token(UInt8(10 + byte)), at: at(6))) }
  }

  @Test func `a fifth session replaces the longest inactive one`() {
    let access = Access()
    for byte in 1...4 {
      access.addLink(token(UInt8(byte)), at: at(0))
      #expect(access.open(token(UInt8(byte)), as: token(UInt8(10 + byte)), at: at(Double(byte))))
    }
    #expect(access.validate(token(11), isUserAction: true, at: at(10)))
    access.addLink(token(5), at: at(11))
    #expect(access.open(token(5), as: token(15), at: at(11)))
    #expect(!access.validate(token(12), isUserAction: true, at: at(12)))
    for byte in [11, 13, 14, 15] { #expect(access.validate(token(UInt8(byte)), isUserAction: false, at: at(12))) }
  }

  @Test func `leaving ends the session`() {
    let access = Access()
    for byte in 1...2 {
      access.addLink(token(UInt8(byte)), at: at(0))
      #expect(access.open(token(UInt8(byte)), as: token(UInt8(10 + byte)), at: at(0)))
    }
    access.end(token(11))
    access.end(token(99))
    #expect(
      !access.validate(token(11), isUserAction: true, at: at(1))
        && access.validate(token(12), isUserAction: true, at: at(1)))
  }

  @Test func `a token has 32 bytes, can be parsed again, and does not appear in its description`() throws {
    let text = token(0xAB).text
    #expect(text.utf8.count == 43 && PageToken(offered: text)?.text == text)
    #expect(!"\(token(0xAB))".contains(text))
    for wrong in ["", "x", String(text.dropLast()), text + "A", text + "=", String(repeating: "!", count: 43)] {
      #expect(PageToken(offered: wrong) == nil, "\(wrong)")
    }
  }

  /// Every short sequence of events: only links start sessions, and a link is opened at most once.
  @Test func `no sequence of events starts a session without a link`() {
    enum Event: CaseIterable { case link, open, openAgain, ask, leave, wait }
    func histories(_ length: Int) -> [[Event]] {
      length == 0 ? [[]] : histories(length - 1).flatMap { history in Event.allCases.map { history + [$0] } }
    }
    for history in histories(5) {
      let access = Access()
      var (now, links, isIn) = (0.0, 0, false)
      for event in history {
        now += 1
        switch event {
        case .link:
          access.addLink(token(1), at: at(now))
          links = min(links + 1, PageAccess.most)
        case .open, .openAgain:
          let session = token(event == .open ? 11 : 12)
          let opened = access.open(token(1), as: session, at: at(now))
          // The sequence can create the same link several times; each can be opened once.
          #expect(opened == (links > 0))
          if opened { links -= 1 }
          if opened && event == .open { isIn = true }
        case .ask: #expect(access.validate(token(11), isUserAction: true, at: at(now)) == isIn)
        case .leave:
          access.end(token(11))
          if !access.validate(token(11), isUserAction: false, at: at(now)) { isIn = false }
        case .wait:
          now += 2000
          (links, isIn) = (0, false)
        }
      }
    }
  }
}
