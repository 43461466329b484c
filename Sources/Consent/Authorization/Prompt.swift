package import Clocks
package import LineProtocol

/// A question to the user about the rights of an app.
package struct Prompt: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// "Share with this app when you press?" (A1)
    case confirm
    /// "The app was not allowed. Use the button from now on?" (A4)
    case introduce
    /// "May this app get the location?" The answers are: once, while in use, or never. (B1)
    case authorize
    /// "May this app get the location?" The app asked for "always". The answers are: once, while in use, or never. (B2)
    case authorizeAlways = "authorize-always"
    /// "Keep 'while in use', or change to 'always'?" (B3)
    case upgrade
    /// "An event needs 'always'. Is it allowed?" (B5)
    case always
    /// "Is precise location allowed once?" (D3)
    case precise
  }

  /// The cause of a prompt.
  package enum Cause: Hashable, Sendable {
    /// A press selected this request.
    case press(Press, RequestID)
    /// The app of this session asked for authorization.
    case session(SessionID)
    /// A request for a fix or updates, or a region event, needs the authorization "always" and waits for the answer.
    /// (B5)
    case heldEvent
  }

  package let id: Int
  package let kind: Kind
  package let app: AppID
  package let cause: Cause
  package let shown: MonotonicInstant
  package let deadline: MonotonicInstant
  /// The press that opened the prompt, if any.
  package var press: Press? {
    switch cause {
    case .press(let press, _): press
    case .session, .heldEvent: nil
    }
  }

  /// The request that the press selected, if a press opened the prompt.
  package var arm: RequestID? {
    switch cause {
    case .press(_, let request): request
    case .session, .heldEvent: nil
    }
  }
}

extension Prompt.Kind {
  /// Returns the possible answers. If the user does not see the prompt's text, which names the app, only answers that
  /// grant little are possible.
  package func choices(showsText: Bool) -> [PromptChoice] {
    switch self {
    case .confirm, .introduce: [.yes, .no]
    case .authorize, .authorizeAlways: showsText ? [.once, .whileUsing, .no] : [.once, .no]
    case .upgrade, .always: showsText ? [.always, .keep, .no] : [.keep, .no]
    case .precise: showsText ? [.yes, .keep, .no] : [.keep, .no]
    }
  }

  /// Whether the user can also choose the accuracy together with a positive answer.
  package var offersAccuracy: Bool {
    switch self {
    case .confirm, .introduce, .authorize, .authorizeAlways, .upgrade, .always: true
    case .precise: false
    }
  }

  /// The answer by one press of the button.
  var choiceByPress: PromptChoice {
    switch self {
    case .confirm, .introduce: .yes
    case .authorize, .authorizeAlways: .once
    case .upgrade, .always, .precise: .keep
    }
  }

  /// The answer by a double press, if a display shows the prompt's text; nil if a double press has no meaning.
  var choiceByDoublePress: PromptChoice? {
    switch self {
    case .authorize, .authorizeAlways: .whileUsing
    case .confirm, .introduce, .upgrade, .always, .precise: nil
    }
  }

  /// Whether the app asked for authorization and learns the outcome. A prompt for the authorization "always" comes from
  /// an event, and the app must not notice it. (B5)
  var isAskedByApp: Bool {
    switch self {
    case .authorize, .authorizeAlways, .upgrade, .precise: true
    case .confirm, .introduce, .always: false
    }
  }

  /// The length of the pause after the first unanswered prompt about an app. In the pause, its requests open no prompt.
  var firstPause: Duration {
    switch self {
    case .confirm, .introduce: Authorization.Bounds.firstButtonPause
    case .authorize, .authorizeAlways, .upgrade, .always, .precise: Authorization.Bounds.firstOtherPause
    }
  }
}

/// A user's answer to a prompt.
package struct Answer: Hashable, Sendable {
  package var choice: PromptChoice
  /// The accuracy that the user chose; nil to keep the present accuracy.
  package var accuracy: FixAccuracy?
  /// Whether the user saw the prompt's text, which names the app.
  package var showsText: Bool

  package init(_ choice: PromptChoice, accuracy: FixAccuracy? = nil, showsText: Bool) {
    self.choice = choice
    self.accuracy = accuracy
    self.showsText = showsText
  }
}
