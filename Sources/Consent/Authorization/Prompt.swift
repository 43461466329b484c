package import Clocks

/// A question to the person at the button.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Share with this app when you press? (A1)
    case confirm
    /// The app was not allowed. Use the button from now on? (A4)
    case introduce
    /// May this app know where this is? Once, while it is in use, or not. (B1)
    case authorize
    /// The same question; the app asked for more. (B2)
    case authorizeAlways = "authorize-always"
    /// Keep "while in use", or change to "always"? (B3)
    case upgrade
    /// Something happened that needs "always". May it? (B5)
    case always
    /// Precise, for once? (D3)
    case precise
  }

  /// What may be answered.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    case yes
    /// *Allow once.*
    case once
    case whileUsing = "while-using"
    case always
    /// As it is.
    case keep
    case no
  }

  package enum Cause: Hashable, Sendable {
    /// A press, for the sake of that request's arm.
    case press(Press, RequestID)
    /// An app asked in this session.
    case session(SessionID)
    /// A start while not in use, or a region's event, that waits for the answer.
    case heldEvent
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  package let cause: Cause
  /// When it was opened: displays and owner surfaces show it from then on.
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
  /// The press that opened it; nil where none did.
  package var press: Press? {
    switch cause {
    case .press(let press, _): press
    case .session, .heldEvent: nil
    }
  }

  /// The request whose arm it is about; nil unless a press opened it.
  package var arm: RequestID? {
    switch cause {
    case .press(_, let request): request
    case .session, .heldEvent: nil
    }
  }
}

extension Prompt.Kind {
  /// The answers that it takes. Without the text before them, people can only mean "once", "as it is" or "no".
  package func choices(showsText: Bool) -> [Prompt.Choice] {
    switch self {
    case .confirm, .introduce: [.yes, .no]
    case .authorize, .authorizeAlways: showsText ? [.once, .whileUsing, .no] : [.once, .no]
    case .upgrade, .always: showsText ? [.always, .keep, .no] : [.keep, .no]
    case .precise: showsText ? [.yes, .keep, .no] : [.keep, .no]
    }
  }

  /// Whether an answer that gives something also says how precisely.
  package var offersAccuracy: Bool {
    switch self {
    case .confirm, .introduce, .authorize, .authorizeAlways, .upgrade, .always: true
    case .precise: false
    }
  }

  /// What one press answers.
  var choiceByPress: Prompt.Choice {
    switch self {
    case .confirm, .introduce: .yes
    case .authorize, .authorizeAlways: .once
    case .upgrade, .always, .precise: .keep
    }
  }

  /// What a double press answers where the text is shown; nil where a press waits for no second.
  var choiceByDoublePress: Prompt.Choice? {
    switch self {
    case .authorize, .authorizeAlways: .whileUsing
    case .confirm, .introduce, .upgrade, .always, .precise: nil
    }
  }

  /// Whether the app asked for it and so hears that it has been answered. B5 must tell it nothing.
  var isAskedByApp: Bool {
    switch self {
    case .authorize, .authorizeAlways, .upgrade, .precise: true
    case .confirm, .introduce, .always: false
    }
  }

  /// The first pause after it was not answered.
  var firstPause: Duration {
    switch self {
    case .confirm, .introduce: Authorization.Bounds.firstButtonPause
    case .authorize, .authorizeAlways, .upgrade, .always, .precise: Authorization.Bounds.firstOtherPause
    }
  }
}

/// What a person answered elsewhere than at the button.
package struct Answer: Hashable, Sendable {
  package var choice: Prompt.Choice
  /// *Precise* or *approximate*; nil leaves it as it is.
  package var accuracy: Accuracy?
  /// Whether the person had the prompt's text, which names the app, before them.
  package var showsText: Bool

  package init(_ choice: Prompt.Choice, accuracy: Accuracy? = nil, showsText: Bool) {
    self.choice = choice
    self.accuracy = accuracy
    self.showsText = showsText
  }
}
