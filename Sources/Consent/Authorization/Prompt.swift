package import Clocks

/// A question to the user.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// "Share with this app when you press?" (A1)
    case confirm
    /// "The app was not allowed. Use the button from now on?" (A4)
    case introduce
    /// "May this app get the location?" Once, while in use, or never. (B1)
    case authorize
    /// The same question for an app that asked for "always". (B2)
    case authorizeAlways = "authorize-always"
    /// "Keep 'while in use', or change to 'always'?" (B3)
    case upgrade
    /// "An event needs 'always'. Is it allowed?" (B5)
    case always
    /// "Is precise location allowed once?" (D3)
    case precise
  }

  /// An answer to a prompt.
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    case yes
    /// *Allow once.*
    case once
    case whileUsing = "while-using"
    case always
    /// Keep the present authorization.
    case keep
    case no
  }

  /// The cause of a prompt.
  package enum Cause: Hashable, Sendable {
    /// A press for the arm of this request.
    case press(Press, RequestID)
    /// A request in this session.
    case session(SessionID)
    /// A start while not in use, or a crossing of a region's border, that waits for the answer.
    case heldEvent
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  package let cause: Cause
  /// The instant of opening. Displays and owner surfaces show the prompt from then on.
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
  /// The press that opened the prompt; nil if it has another cause.
  package var press: Press? {
    switch cause {
    case .press(let press, _): press
    case .session, .heldEvent: nil
    }
  }

  /// The request whose arm the prompt is about; nil unless a press opened the prompt.
  package var arm: RequestID? {
    switch cause {
    case .press(_, let request): request
    case .session, .heldEvent: nil
    }
  }
}

extension Prompt.Kind {
  /// Returns the possible answers. Without the text, the user can only answer "yes" to a question about the button,
  /// "once", "keep" or "no".
  ///
  /// - Parameter showsText: Whether the user sees the prompt's text, which names the app.
  package func choices(showsText: Bool) -> [Prompt.Choice] {
    switch self {
    case .confirm, .introduce: [.yes, .no]
    case .authorize, .authorizeAlways: showsText ? [.once, .whileUsing, .no] : [.once, .no]
    case .upgrade, .always: showsText ? [.always, .keep, .no] : [.keep, .no]
    case .precise: showsText ? [.yes, .keep, .no] : [.keep, .no]
    }
  }

  /// Whether a positive answer also sets the accuracy.
  package var offersAccuracy: Bool {
    switch self {
    case .confirm, .introduce, .authorize, .authorizeAlways, .upgrade, .always: true
    case .precise: false
    }
  }

  /// The answer that one press gives.
  var choiceByPress: Prompt.Choice {
    switch self {
    case .confirm, .introduce: .yes
    case .authorize, .authorizeAlways: .once
    case .upgrade, .always, .precise: .keep
    }
  }

  /// The answer that a double press gives if the text is shown; nil if a press does not wait for a second one.
  var choiceByDoublePress: Prompt.Choice? {
    switch self {
    case .authorize, .authorizeAlways: .whileUsing
    case .confirm, .introduce, .upgrade, .always, .precise: nil
    }
  }

  /// Whether the app asked for the prompt and learns that it was answered. A prompt of B5 must stay hidden from the
  /// app.
  var isAskedByApp: Bool {
    switch self {
    case .authorize, .authorizeAlways, .upgrade, .precise: true
    case .confirm, .introduce, .always: false
    }
  }

  /// The length of the first pause after this prompt had no answer.
  var firstPause: Duration {
    switch self {
    case .confirm, .introduce: Authorization.Bounds.firstButtonPause
    case .authorize, .authorizeAlways, .upgrade, .always, .precise: Authorization.Bounds.firstOtherPause
    }
  }
}

/// A user's answer to a prompt.
package struct Answer: Hashable, Sendable {
  package var choice: Prompt.Choice
  /// *Precise* or *approximate*; nil keeps the present accuracy.
  package var accuracy: Accuracy?
  /// Whether the user saw the prompt's text, which names the app.
  package var showsText: Bool

  package init(_ choice: Prompt.Choice, accuracy: Accuracy? = nil, showsText: Bool) {
    self.choice = choice
    self.accuracy = accuracy
    self.showsText = showsText
  }
}
