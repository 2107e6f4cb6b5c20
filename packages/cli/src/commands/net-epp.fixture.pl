# A client that nobody here wrote, Net::EPP::Simple, does a registrar's work: what came of each step is one line of JSON.
use strict;
use warnings;
use JSON::PP;
use Net::EPP::Frame;
use Net::EPP::Simple;

my ($port, $ca, $first, $second) = @ARGV;
my $json = JSON::PP->new->canonical->allow_nonref;
$| = 1;

sub show { my ($step, $value) = @_; print $json->encode([$step, $value]), "\n" }

sub login {
    my ($user, $pass) = @_;
    return Net::EPP::Simple->new(
        host => 'localhost', port => $port, user => $user, pass => $pass, verify => 1, ca_file => $ca,
        timeout => 60, load_config => 0,
    );
}

sub poll {
    my ($epp) = @_;
    my $answer = $epp->request(Net::EPP::Frame::Command::Poll::Req->new);
    my $queue = $answer->getElementsByLocalName('msgQ')->shift or return $answer->code;
    my ($text, $id) = (($queue->getElementsByLocalName('msg'))[0]->textContent, $queue->getAttribute('id'));
    my $ack = Net::EPP::Frame::Command::Poll::Ack->new;
    $ack->setMsgID($id);
    return [$answer->code, $text, $epp->request($ack)->code];
}

my $wrong = login('sandbox', 'no-password');
show('wrong password', [defined $wrong ? 1 : 0, $Net::EPP::Simple::Code]);
my $epp = login('sandbox', $first) or die $Net::EPP::Simple::Error;
my $other = login('sandbox2', $second) or die $Net::EPP::Simple::Error;
show('login', $epp->code);

show('check', $epp->check_domain('perl.com'));
show('contact', $epp->create_contact({
    id => 'PERL-1', voice => '+49.2281234', fax => '', email => 'ada@example.com', authInfo => 'secret',
    postalInfo => { int => { name => 'Ada', org => 'Engines', addr => { street => ['1 Way'], city => 'Bonn', pc => '53111', cc => 'DE' } } },
}));
show('contact shown', $epp->contact_info('PERL-1')->{postalInfo}{int}{addr}{city});
show('host', $epp->create_host({ name => 'ns1.elsewhere.example', addrs => [] }));
show('create', $epp->create_domain({
    name => 'perl.com', period => 1, registrant => 'PERL-1', contacts => { admin => 'PERL-1', tech => 'PERL-1' },
    ns => ['ns1.elsewhere.example'], authInfo => 'transfer-me', status => [],
}));
show('create again', [$epp->create_domain({
    name => 'perl.com', period => 1, registrant => 'PERL-1', contacts => {}, authInfo => 'transfer-me',
}), $epp->code]);
show('check again', $epp->check_domain('perl.com'));
my $info = $epp->domain_info('perl.com');
show('info', { map { $_ => $info->{$_} } qw(clID registrant status ns authInfo contacts) });
show('renew', $epp->renew_domain({ name => 'perl.com', cur_exp_date => substr($info->{exDate}, 0, 10), period => 2 }));
show('years', substr($epp->domain_info('perl.com')->{exDate}, 0, 4) - substr($info->{crDate}, 0, 4));
show('renew again', [$epp->renew_domain({ name => 'perl.com', cur_exp_date => substr($info->{exDate}, 0, 10), period => 2 }), $epp->code]);
show('update', $epp->update_domain({
    name => 'perl.com', add => { status => ['clientHold'] }, rem => { ns => ['ns1.elsewhere.example'] }, chg => { authInfo => 'another' },
}));
show('updated', [sort @{ $epp->domain_info('perl.com')->{status} }]);

show('transfer, wrong code', [$other->domain_transfer_request('perl.com', 'wrong', 1), $other->code]);
show('transfer', $other->domain_transfer_request('perl.com', 'another', 1)->{trStatus});
show('losing registrar hears', poll($epp));
show('approve', $epp->domain_transfer_approve('perl.com'));
show('gaining registrar hears', poll($other));
show('queue', poll($other));
show('holder', $other->domain_info('perl.com')->{clID});

show('delete', [$other->delete_domain('perl.com'), $other->code]);
show('info after', [$other->domain_info('perl.com'), $other->code]);
show('contact deleted', $epp->delete_contact('PERL-1'));
show('logout', $epp->logout);
