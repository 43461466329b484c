import Base
import Features
import Testing

private func token(_ byte: UInt8) -> PageToken { PageToken([UInt8](repeating: byte, count: 32)) }

private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: Int64(seconds * 1e9)) }

/// A `PageAccess` whose tokens have equal bytes. It is a class, so that expectations can change it.
private final class Access {
  private var access = PageAccess()

  func addLink(_ link: UInt8, at seconds: Double) { access.addLink(token(link), at: at(seconds)) }

  func open(_ link: UInt8, as session: UInt8, at seconds: Double) -> Bool {
    access.open(token(link), as: token(session), at: at(seconds))
  }

  /// Opens session 10 + `link` with a new link.
  func begin(_ link: UInt8, at seconds: Double) {
    addLink(link, at: seconds)
    #expect(open(link, as: 10 + link, at: seconds))
  }

  func isValid(_ session: UInt8, byUser isUserAction: Bool = true, at seconds: Double) -> Bool {
    access.validate(token(session), isUserAction: isUserAction, at: at(seconds))
  }

  func end(_ session: UInt8) { access.end(token(session)) }
}

@Suite struct PageAccessTests {
  @Test func `only a link opens a session, and only once`() {
    let access = Access()
    #expect(!access.open(1, as: 11, at: 0))
    access.addLink(1, at: 0)
    #expect(!access.open(2, as: 12, at: 1))
    #expect(!access.isValid(1, at: 1), "a link is no session")
    #expect(access.open(1, as: 11, at: 2))
    #expect(!access.open(1, as: 12, at: 2), "it is used up")
    #expect(!access.open(11, as: 12, at: 2), "a session is no link")
    #expect(access.isValid(11, at: 3))
    #expect(!access.isValid(12, at: 3))
  }

  @Test(arguments: [(119.9, true), (120, false), (500, false)])
  func `a link is valid for two minutes`(after seconds: Double, isGood: Bool) {
    let access = Access()
    access.addLink(1, at: 0)
    #expect(access.open(1, as: 11, at: seconds) == isGood)
  }

  @Test func `a session ends after half an hour without a user action, and events are not user actions`() {
    let access = Access()
    access.begin(1, at: 0)
    #expect(access.isValid(11, at: 1799))
    for second in stride(from: 1800.0, to: 3598, by: 100) { #expect(access.isValid(11, byUser: false, at: second)) }
    #expect(!access.isValid(11, byUser: false, at: 1799 + 1800))
    #expect(!access.isValid(11, at: 1799 + 1800), "what has ended does not begin again")
  }

  @Test func `a session ends after twelve hours in any case`() {
    let access = Access()
    access.begin(1, at: 0)
    // The user is never inactive for long, also not before the end.
    for second in stride(from: 0.0, to: 12 * 3600, by: 600) { #expect(access.isValid(11, at: second)) }
    #expect(access.isValid(11, at: 12 * 3600 - 1))
    #expect(!access.isValid(11, at: 12 * 3600))
  }

  @Test func `the four latest links are valid`() {
    let access = Access()
    for link: UInt8 in 1...5 { access.addLink(link, at: Double(link)) }
    #expect(!access.open(1, as: 11, at: 6))
    for link: UInt8 in 2...5 { #expect(access.open(link, as: 10 + link, at: 6)) }
  }

  @Test(arguments: [true, false])
  func `a fifth session replaces the longest inactive one, and the earliest of several`(isFirstActive: Bool) {
    let access = Access()
    for link: UInt8 in 1...4 { access.begin(link, at: isFirstActive ? Double(link) : 1) }
    if isFirstActive { #expect(access.isValid(11, at: 10)) }
    access.begin(5, at: 11)
    let valid = (11...15 as ClosedRange<UInt8>).filter { access.isValid($0, byUser: false, at: 12) }
    #expect(valid == (isFirstActive ? [11, 13, 14, 15] : [12, 13, 14, 15]))
    // Leaving ends one session.
    access.end(14)
    access.end(99)
    #expect((13...15 as ClosedRange<UInt8>).filter { access.isValid($0, at: 13) } == [13, 15])
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
          access.addLink(1, at: now)
          links = min(links + 1, PageAccess.most)
        case .open, .openAgain:
          let opened = access.open(1, as: event == .open ? 11 : 12, at: now)
          // The sequence can create the same link several times; each can be opened once.
          #expect(opened == (links > 0))
          if opened { links -= 1 }
          if opened && event == .open { isIn = true }
        case .ask: #expect(access.isValid(11, at: now) == isIn)
        case .leave:
          access.end(11)
          if !access.isValid(11, byUser: false, at: now) { isIn = false }
        case .wait:
          now += 2000
          (links, isIn) = (0, false)
        }
      }
    }
  }
}
