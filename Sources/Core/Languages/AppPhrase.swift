/// Texts about apps.
package enum AppPhrase: Phrase {
  case app, name, status, accuracy, now, sessions, pause, inUse, waits, next, fixes, backgroundFixes, idle, provisional
  case noApps, isNow, used, unused, forgotten, keyMade, tokenMade, keyRevoked

  package var texts: Texts {
    switch self {
    case .app: Texts(en: "App", de: "App", ja: "アプリ", vi: "Ứng dụng", zhHans: "应用")
    case .name: Texts(en: "Name", de: "Name", ja: "名前", vi: "Tên", zhHans: "名称")
    case .status: Texts(en: "Location", de: "Standort", ja: "位置情報", vi: "Vị trí", zhHans: "位置")
    case .accuracy: Texts(en: "Accuracy", de: "Genauigkeit", ja: "精度", vi: "Độ chính xác", zhHans: "精度")
    case .now: Texts(en: "Now", de: "Jetzt", ja: "現在", vi: "Hiện tại", zhHans: "目前")
    case .sessions: Texts(en: "Connections", de: "Verbindungen", ja: "接続数", vi: "Kết nối", zhHans: "连接数")
    case .pause: Texts(en: "Asks again", de: "Fragt wieder", ja: "次の質問", vi: "Hỏi lại", zhHans: "再次询问")
    case .inUse: Texts(en: "in use", de: "in Gebrauch", ja: "使用中", vi: "đang dùng", zhHans: "使用中")
    case .waits:
      Texts(en: "waits for a press", de: "wartet auf den Knopf", ja: "ボタン待ち", vi: "đang chờ nhấn", zhHans: "等待按下按钮")
    case .next:
      Texts(
        en: "gets the next press", de: "erhält den nächsten Druck", ja: "次に押すと渡されます", vi: "nhận lần nhấn tiếp theo",
        zhHans: "下一次按下的对象")
    case .fixes: Texts(en: "gets fixes", de: "erhält Fixe", ja: "測位を受信中", vi: "đang nhận vị trí", zhHans: "正在接收定位")
    case .backgroundFixes:
      Texts(
        en: "gets fixes in the background", de: "erhält Fixe im Hintergrund", ja: "バックグラウンドで測位を受信中",
        vi: "đang nhận vị trí trong nền", zhHans: "正在后台接收定位")
    case .idle: Texts(en: "nothing", de: "nichts", ja: "なし", vi: "không có gì", zhHans: "无")
    case .provisional:
      Texts(
        en: "{value} (the app asked for more)", de: "{value} (gefragt war mehr)", ja: "{value}（要求はそれ以上）",
        vi: "{value} (đã xin nhiều hơn)", zhHans: "{value}（曾请求更多）")
    case .noApps:
      Texts(
        en: "There are no apps.", de: "Es gibt keine Apps.", ja: "アプリはありません。", vi: "Không có ứng dụng nào.",
        zhHans: "没有应用。")
    case .isNow:
      Texts(
        en: "{app}: {value}", de: "{app}: {value}", ja: "{app}：{value}", vi: "{app}: {value}", zhHans: "{app}：{value}")
    case .used:
      Texts(
        en: "{app}: in use from now on", de: "{app}: ab jetzt in Gebrauch", ja: "{app}：これから使用中",
        vi: "{app}: đang dùng từ bây giờ", zhHans: "{app}：从现在起使用中")
    case .unused:
      Texts(
        en: "{app}: not connected, so not in use", de: "{app}: nicht verbunden, also nicht in Gebrauch",
        ja: "{app}：未接続のため使用されません", vi: "{app}: chưa kết nối nên không được dùng", zhHans: "{app}：未连接，因此没有使用")
    case .forgotten:
      Texts(
        en: "{app}: forgotten", de: "{app}: vergessen", ja: "{app}：記録を消去しました", vi: "{app}: đã quên",
        zhHans: "{app}：已清除记录")
    case .keyMade:
      Texts(
        en: "The key of {app}, shown only now:", de: "Der Schlüssel von {app}, nur jetzt zu sehen:",
        ja: "{app} の鍵（表示は今回だけです）：", vi: "Khóa của {app}, chỉ hiện lần này:", zhHans: "{app} 的密钥，仅显示这一次：")
    case .tokenMade:
      Texts(
        en: "The token of {app}, shown only now:", de: "Das Token von {app}, nur jetzt zu sehen:",
        ja: "{app} のトークン（表示は今回だけです）：", vi: "Mã truy cập của {app}, chỉ hiện lần này:", zhHans: "{app} 的令牌，仅显示这一次：")
    case .keyRevoked:
      Texts(
        en: "{app}: key and token revoked", de: "{app}: Schlüssel und Token widerrufen", ja: "{app}：鍵とトークンを失効させました",
        vi: "{app}: đã thu hồi khóa và mã truy cập", zhHans: "{app}：密钥和令牌已吊销")
    }
  }
}
